"""libwavesmith through ctypes: the structures and functions of wavesmith.h that prefill.py needs, and handles that
release themselves."""

import ctypes
from ctypes import POINTER, Structure, byref, c_char_p, c_float, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p

OK = 0


class Sized(Structure):
    """A structure of the interface; its first member is its size."""

    def __init__(self, **members):
        super().__init__(struct_size=ctypes.sizeof(type(self)), **members)


class Strides(Structure):
    _fields_ = [("batch", c_int64), ("token", c_int64), ("head", c_int64)]


class DeviceInfo(Sized):
    _fields_ = [("struct_size", c_size_t), ("name", c_char_p), ("target", c_char_p), ("memory_bytes", c_uint64),
                ("compute_units", c_uint32), ("lds_bytes", c_uint32), ("wave_size", c_uint32), ("clock_khz", c_uint32)]


class AttentionShapes(Sized):
    _fields_ = [("struct_size", c_size_t), ("given", c_uint64), ("batch", c_int64), ("seqlen_q", c_int64),
                ("seqlen_kv", c_int64), ("q", Strides), ("k", Strides), ("v", Strides), ("o", Strides),
                ("lse_stride_batch", c_int64), ("lse_stride_head", c_int64), ("block_table_stride", c_int64),
                ("window_left", c_int64), ("window_right", c_int64), ("num_persistent", c_int64),
                ("softmax_scale", c_float), ("persist_decode", c_int32), ("interleave", c_int32), ("reserved", c_int32)]


class AttentionBuffers(Sized):
    _fields_ = [("struct_size", c_size_t)] + [(name, c_uint64) for name in (
        "q", "k", "v", "o", "lse", "sinks", "cu_seqlens_q", "cu_seqlens_kv", "seqlens_q", "seqlens_kv", "block_table")]


class Launch(Sized):
    _fields_ = [("struct_size", c_size_t), ("grid", c_uint32 * 3), ("block", c_uint32 * 3),
                ("dynamic_lds_bytes", c_uint32), ("arguments_bytes", c_uint32), ("work_items", c_int64),
                ("arguments", c_uint64 * 128)]


class Error(Exception):
    """A call that failed; `status` is the library's."""

    def __init__(self, status, text):
        super().__init__(text)
        self.status = status


class Library:
    """The functions of the library, which raise Error."""

    # name: arguments. All of these return a status.
    SIGNATURES = {
        "request_from_json": [c_char_p, POINTER(c_void_p)],
        "jit_create": [c_void_p, POINTER(c_void_p)],
        "jit_get": [c_void_p, c_void_p, POINTER(c_void_p)],
        "plan_attention": [c_void_p, POINTER(AttentionShapes), POINTER(AttentionBuffers), POINTER(Launch)],
        "launcher_open": [c_char_p, POINTER(c_void_p)],
        "launcher_get_device": [c_void_p, c_int32, POINTER(DeviceInfo)],
        "launcher_load": [c_void_p, c_int32, c_void_p, POINTER(c_void_p)],
        "launcher_launch": [c_void_p, c_void_p, POINTER(Launch), c_void_p],
        "stream_create": [c_void_p, c_int32, POINTER(c_void_p)],
        "stream_synchronize": [c_void_p, c_void_p],
        "stream_destroy": [c_void_p, c_void_p],
        "memory_allocate": [c_void_p, c_int32, c_size_t, POINTER(c_uint64)],
        "memory_free": [c_void_p, c_uint64],
        "memory_copy_to_device": [c_void_p, c_uint64, c_void_p, c_size_t, c_void_p],
        "memory_copy_to_host": [c_void_p, c_void_p, c_uint64, c_size_t, c_void_p],
    }
    DESTROYERS = ["request_destroy", "jit_destroy", "kernel_destroy", "loaded_kernel_destroy", "launcher_close"]

    def __init__(self, path=None):
        self._library = ctypes.CDLL(path or "libwavesmith.so.0.1")
        self._library.wavesmith_last_error.restype = c_char_p
        self._library.wavesmith_last_error_log.restype = c_char_p
        for name, arguments in self.SIGNATURES.items():
            function = getattr(self._library, "wavesmith_" + name)
            function.argtypes, function.restype = arguments, c_int32
            setattr(self, name, self._checked(function))
        for name in self.DESTROYERS:
            function = getattr(self._library, "wavesmith_" + name)
            function.argtypes, function.restype = [c_void_p], None
            setattr(self, name, function)

    def _checked(self, function):
        def call(*arguments):
            status = function(*arguments)
            if status != OK:
                text = self._library.wavesmith_last_error() + b"\n" + self._library.wavesmith_last_error_log()
                raise Error(status, text.decode().strip())
        return call

    def made(self, name, *arguments):
        """The handle that a function makes: its last argument."""
        handle = c_void_p()
        getattr(self, name)(*arguments, byref(handle))
        return handle
