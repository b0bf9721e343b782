// One LLVM instruction or intrinsic call (rarely a few) for each operation of the kernel IR.
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lowering/function_lowering.h"
#include "lowering/llvm_spelling.h"

namespace wavesmith::lowering {
namespace {

using ir::OpKind;

// LLVM's instruction for operations of the form "opcode type a, b"; empty for all others.
std::string_view binary_opcode(OpKind kind) {
  switch (kind) {
    case OpKind::add:
      return "add";
    case OpKind::sub:
      return "sub";
    case OpKind::mul:
      return "mul";
    case OpKind::udiv:
      return "udiv";
    case OpKind::urem:
      return "urem";
    case OpKind::and_:
      return "and";
    case OpKind::or_:
      return "or";
    case OpKind::xor_:
      return "xor";
    case OpKind::shl:
      return "shl";
    case OpKind::lshr:
      return "lshr";
    case OpKind::ashr:
      return "ashr";
    case OpKind::fadd:
      return "fadd";
    case OpKind::fsub:
      return "fsub";
    case OpKind::fmul:
      return "fmul";
    default:
      return "";
  }
}

// LLVM's instruction for operations of the form "opcode type a to type".
std::string_view conversion_opcode(OpKind kind) {
  switch (kind) {
    case OpKind::zext:
      return "zext";
    case OpKind::sext:
      return "sext";
    case OpKind::trunc:
      return "trunc";
    case OpKind::fptrunc:
      return "fptrunc";
    case OpKind::fpext:
      return "fpext";
    case OpKind::bitcast:
      return "bitcast";
    default:
      return "";
  }
}

// The intrinsic for operations that are one call on operands of the result's type.
std::string_view same_type_intrinsic(OpKind kind) {
  switch (kind) {
    case OpKind::smin:
      return "llvm.smin";
    case OpKind::smax:
      return "llvm.smax";
    case OpKind::umin:
      return "llvm.umin";
    case OpKind::umax:
      return "llvm.umax";
    case OpKind::fma:
      return "llvm.fma";
    case OpKind::fmax:
      return "llvm.maxnum";
    case OpKind::exp2:
      return "llvm.amdgcn.exp2";
    case OpKind::log2:
      return "llvm.amdgcn.log";
    case OpKind::rcp:
      return "llvm.amdgcn.rcp";
    default:
      return "";
  }
}

std::string shuffle_mask(unsigned first, unsigned lanes) {
  std::string mask;
  for (unsigned i = 0; i < lanes; ++i) mask += fmt::format("{}i32 {}", i == 0 ? "" : ", ", first + i);
  return fmt::format("<{} x i32> <{}>", lanes, mask);
}

}  // namespace

void FunctionLowering::arithmetic(const ir::Op& op) {
  if (const auto opcode = binary_opcode(op.kind); !opcode.empty()) {
    define(op.results[0],
           fmt::format("{} {}, {}", opcode, typed_operand(op.operands[0]), operand(op.operands[1])));
  } else if (const auto conversion = conversion_opcode(op.kind); !conversion.empty()) {
    define(op.results[0], fmt::format("{} {} to {}", conversion, typed_operand(op.operands[0]),
                                      llvm_type(op.results[0].type())));
  } else if (const auto intrinsic = same_type_intrinsic(op.kind); !intrinsic.empty()) {
    const ir::Type type = op.results[0].type();
    std::vector<std::string> arguments;
    for (const ir::Value& value : op.operands) arguments.push_back(typed_operand(value));
    define(op.results[0],
           call(llvm_type(type), fmt::format("{}.{}", intrinsic, mangled_type(type)), arguments));
  } else if (op.kind == OpKind::icmp || op.kind == OpKind::fcmp) {
    define(op.results[0], fmt::format("{} {} {}, {}", info(op.kind).name,
                                      to_string(static_cast<ir::Predicate>(*op.attr(ir::Attr::predicate))),
                                      typed_operand(op.operands[0]), operand(op.operands[1])));
  } else if (op.kind == OpKind::fneg) {
    define(op.results[0], fmt::format("fneg {}", typed_operand(op.operands[0])));
  } else {
    vector_op(op);
  }
}

void FunctionLowering::vector_op(const ir::Op& op) {
  const auto typed = [&](std::size_t i) { return typed_operand(op.operands[i]); };
  switch (op.kind) {
    case OpKind::select:
      define(op.results[0], fmt::format("select {}, {}, {}", typed(0), typed(1), typed(2)));
      break;
    case OpKind::extract:
      define(op.results[0], fmt::format("extractelement {}, i64 {}", typed(0), *op.attr(ir::Attr::index)));
      break;
    case OpKind::build: {
      const std::string type = llvm_type(op.results[0].type());
      std::string partial = "poison";
      for (std::size_t i = 0; i < op.operands.size(); ++i) {
        const bool last = i + 1 == op.operands.size();
        const std::string name =
            fmt::format("%{}{}", op.results[0].name(), last ? "" : fmt::format(".e{}", i));
        line(fmt::format("{} = insertelement {} {}, {}, i64 {}", name, type, partial, typed(i), i));
        partial = name;
      }
      break;
    }
    case OpKind::concat:
      define(op.results[0], fmt::format("shufflevector {}, {}, {}", typed(0), typed(1),
                                        shuffle_mask(0, op.results[0].type().lanes)));
      break;
    case OpKind::slice:
      define(op.results[0],
             fmt::format(
                 "shufflevector {}, {} poison, {}", typed(0), llvm_type(op.operands[0].type()),
                 shuffle_mask(static_cast<unsigned>(*op.attr(ir::Attr::index)), op.results[0].type().lanes)));
      break;
    case OpKind::splat: {
      const std::string type = llvm_type(op.results[0].type());
      const std::string& name = op.results[0].name();
      line(fmt::format("%{}.first = insertelement {} poison, {}, i64 0", name, type, typed(0)));
      define(op.results[0],
             fmt::format("shufflevector {0} %{1}.first, {0} poison, <{2} x i32> zeroinitializer", type, name,
                         op.results[0].type().lanes));
      break;
    }
    default:
      lane_op(op);
  }
}

void FunctionLowering::lane_op(const ir::Op& op) {
  const auto typed = [&](std::size_t i) { return typed_operand(op.operands[i]); };
  switch (op.kind) {
    case OpKind::workitem_id:
      define(op.results[0], call("i32", "llvm.amdgcn.workitem.id.x", {}));
      break;
    case OpKind::workgroup_id: {
      constexpr std::array<char, 3> axes{'x', 'y', 'z'};
      const char axis = axes.at(static_cast<std::size_t>(*op.attr(ir::Attr::index)));
      define(op.results[0], call("i32", fmt::format("llvm.amdgcn.workgroup.id.{}", axis), {}));
      break;
    }
    case OpKind::load_argument:
      load_argument(op);
      break;
    case OpKind::load_constant:
      load_constant(op);
      break;
    case OpKind::readfirstlane:
      define(op.results[0], call("i32", "llvm.amdgcn.readfirstlane.i32", {typed(0)}));
      break;
    case OpKind::ballot:
      define(op.results[0], call("i64", "llvm.amdgcn.ballot.i64", {typed(0)}));
      break;
    case OpKind::permlane32_swap: {
      if (!target_.permlane32_swap) unsupported.emplace_back("v_permlane32_swap");
      const std::string pair = op.results[0].name() + ".pair";
      line(fmt::format("%{} = {}", pair,
                       call("{ i32, i32 }", "llvm.amdgcn.permlane32.swap",
                            {typed(0), typed(1), "i1 false", "i1 false"}, 0b1100)));
      for (std::size_t i = 0; i < 2; ++i)
        define(op.results[i], fmt::format("extractvalue {{ i32, i32 }} %{}, {}", pair, i));
      break;
    }
    case OpKind::mfma_32x32x16:
      if (!target_.mfma_32x32x16) unsupported.emplace_back("v_mfma_f32_32x32x16");
      define(op.results[0],
             call("<16 x float>",
                  fmt::format("llvm.amdgcn.mfma.f32.32x32x16.{}", to_string(op.operands[0].type().element())),
                  {typed(0), typed(1), typed(2), "i32 0", "i32 0", "i32 0"}, 0b111000));
      break;
    default:
      memory_op(op);
  }
}

void FunctionLowering::load_argument(const ir::Op& op) {
  // The block begins with the explicit arguments, each at a multiple of its size (LLVM, AMDGPUUsage, "Kernel
  // Argument Segment").
  unsigned offset = 0, size = 0;
  for (const ir::Parameter& parameter : kernel_.parameters) {
    size = parameter.value.type().is_pointer() ? 8 : ir::total_bits(parameter.value.type()) / 8;
    offset = (offset + size - 1) / size * size;
    if (parameter.value == op.operands[0]) break;
    offset += size;
  }
  const std::string& name = op.results[0].name();
  // LLVM's own declaration, attributes of the result included.
  const std::string block = "llvm.amdgcn.kernarg.segment.ptr";
  if (declared_.insert(block).second) declare("noundef align 4 ptr addrspace(4)", block, {}, 0);
  line(fmt::format("%{}.block = {}", name, call("ptr addrspace(4)", block, {})));
  line(fmt::format("%{0}.base = getelementptr i8, ptr addrspace(4) %{0}.block, {1}", name,
                   typed_operand(op.operands[1])));
  line(fmt::format("%{0}.at = getelementptr i8, ptr addrspace(4) %{0}.base, i64 {1}", name, offset));
  define(op.results[0], fmt::format("load {}, ptr addrspace(4) %{}.at, align {}",
                                    llvm_type(op.results[0].type()), name, size));
}

void FunctionLowering::load_constant(const ir::Op& op) {
  // Of address space 4 LLVM knows that nothing writes it, and takes a scalar load where the address is
  // uniform (LLVM, AMDGPUUsage, "Address Spaces"); its addresses are the global ones.
  const std::string& name = op.results[0].name();
  line(fmt::format("%{}.at = addrspacecast {} to ptr addrspace(4)", name, typed_operand(op.operands[0])));
  define(op.results[0],
         fmt::format("load {}, ptr addrspace(4) %{}.at, align {}", llvm_type(op.results[0].type()), name,
                     ir::total_bits(op.results[0].type()) / 8));
}

void FunctionLowering::memory_op(const ir::Op& op) {
  const auto typed = [&](std::size_t i) { return typed_operand(op.operands[i]); };
  const auto alias = [&] {
    return metadata_.alias(static_cast<ir::AliasScope>(*op.attr(ir::Attr::alias_scope)));
  };
  const std::string cache_policy = fmt::format("i32 {}", op.attr(ir::Attr::cache_policy).value_or(0));
  switch (op.kind) {
    case OpKind::ptr_offset: {
      // A global base may be advanced past its tensor for a tile that lies outside (its descriptor then
      // covers no bytes), so only LDS offsets are promised to stay inside.
      const bool in_pool = op.operands[0].type() == ir::lds_ptr;
      define(op.results[0],
             fmt::format("getelementptr {}i8, {}, {}", in_pool ? "inbounds " : "", typed(0), typed(1)));
      break;
    }
    case OpKind::lds_address:
      define(op.results[0], fmt::format("getelementptr inbounds i8, ptr addrspace(3) {}, i32 {}",
                                        lds_pool_name(kernel_), *op.attr(ir::Attr::bytes)));
      break;
    case OpKind::make_buffer_resource: {
      std::string bytes = typed(1);
      if (flavour_.num_records_type != "i32") {
        const std::string wide = op.results[0].name() + ".bytes";
        line(fmt::format("%{} = zext {} to {}", wide, typed(1), flavour_.num_records_type));
        bytes = fmt::format("{} %{}", flavour_.num_records_type, wide);
      }
      define(op.results[0], call("ptr addrspace(8)",
                                 fmt::format("llvm.amdgcn.make.buffer.rsrc.{}", flavour_.buffer_rsrc_suffix),
                                 {typed(0), "i16 0", bytes, fmt::format("i32 {}", target_.buffer_word3)}));
      break;
    }
    case OpKind::buffer_load: {
      const ir::Type type = op.results[0].type();
      define(op.results[0],
             call(llvm_type(type), fmt::format("llvm.amdgcn.raw.ptr.buffer.load.{}", mangled_type(type)),
                  {typed(0), typed(1), "i32 0", cache_policy}, 0b1000));
      break;
    }
    case OpKind::buffer_store:
      line(call("void",
                fmt::format("llvm.amdgcn.raw.ptr.buffer.store.{}", mangled_type(op.operands[0].type())),
                {typed(0), typed(1), typed(2), "i32 0", cache_policy}, 0b10000));
      break;
    case OpKind::buffer_load_lds: {
      const std::int64_t bytes = *op.attr(ir::Attr::bytes);
      bool has_width = false;
      for (unsigned width : target_.lds_dma_bytes) has_width = has_width || width == bytes;
      if (!has_width) unsupported.push_back(fmt::format("LDS DMA of {} bytes a lane", bytes));
      line(call("void", "llvm.amdgcn.raw.ptr.buffer.load.lds",
                {typed(0), typed(2), fmt::format("i32 {}", bytes), typed(1), "i32 0", "i32 0", cache_policy},
                0b1100100),
           alias());
      break;
    }
    case OpKind::lds_load:
      define(op.results[0],
             fmt::format("load {}, {}, align {}", llvm_type(op.results[0].type()), typed(0),
                         *op.attr(ir::Attr::align)),
             alias());
      break;
    case OpKind::lds_read_tr16: {
      if (!target_.lds_transpose_read) unsupported.emplace_back("ds_read_b64_tr_b16");
      const ir::Type type = op.results[0].type();
      define(op.results[0],
             call(llvm_type(type), fmt::format("llvm.amdgcn.ds.read.tr16.b64.{}", mangled_type(type)),
                  {typed(0)}),
             alias());
      break;
    }
    default:
      order_op(op);
  }
}

void FunctionLowering::order_op(const ir::Op& op) {
  const auto count = [&](ir::Attr key) -> std::optional<unsigned> {
    const auto value = op.attr(key);
    if (!value) return std::nullopt;
    return static_cast<unsigned>(*value);
  };
  const auto immediate = [&](ir::Attr key, std::string_view type) {
    return fmt::format("{} {}", type, *op.attr(key));
  };
  switch (op.kind) {
    case OpKind::waitcnt:
      line(call(
          "void", "llvm.amdgcn.s.waitcnt",
          {fmt::format("i32 {}", encode_waitcnt(target_, count(ir::Attr::vmcnt), count(ir::Attr::lgkmcnt)))},
          1));
      break;
    case OpKind::barrier:
      line(call("void", "llvm.amdgcn.s.barrier", {}));
      break;
    case OpKind::sched_barrier:
      line(call("void", "llvm.amdgcn.sched.barrier", {immediate(ir::Attr::mask, "i32")}, 1));
      break;
    case OpKind::sched_group_barrier:
      line(call("void", "llvm.amdgcn.sched.group.barrier",
                {immediate(ir::Attr::mask, "i32"), immediate(ir::Attr::size, "i32"),
                 immediate(ir::Attr::group, "i32")},
                0b111));
      break;
    case OpKind::set_priority:
      line(call("void", "llvm.amdgcn.s.setprio", {immediate(ir::Attr::priority, "i16")}, 1));
      break;
    default:
      unsupported.emplace_back(info(op.kind).name);
  }
}

}  // namespace wavesmith::lowering
