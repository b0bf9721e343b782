// The edge values of vector_cases.h.
#include "vector_cases.h"

namespace wavesmith::simulator::testing {

SourceKind integers() {
  return {Operation::integer32,
          {0,          1,          2,          3,          7,          0x7f,       0x80,
           0xff,       0x100,      0x7fff,     0x8000,     0xffff,     0x10000,    0x7fffff,
           0x800000,   0xffffff,   0x1000000,  0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001,
           0xfffffffe, 0xffffffff, 0x12345678, 0xdeadbeef, 0x00ff00ff, 0xf0f0f0f0, 0x81828384}};
}

SourceKind integers64() {
  return {Operation::integer64,
          {0, 1, 2, 0xff, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 0x7fffffffffffffff,
           0x8000000000000000, 0xffffffffffffffff, 0xfffffffffffffffe, 0xffffffff00000000, 0x0123456789abcdef,
           0xfedcba9876543210, 0x00ff00ff00ff00ff}};
}

SourceKind shorts() {
  return {Operation::integer16,
          {0x00000000, 0xffff0001, 0x00000002, 0x1234000f, 0x00000010, 0xabcd007f, 0x00000080, 0x555500ff,
           0x00000100, 0x00007ffe, 0xffff7fff, 0x00008000, 0x00018001, 0x0000fffe, 0x0000ffff, 0x99991234,
           0x0000dead}};
}

SourceKind counts() {
  return {Operation::integer32, {0, 1, 2, 4, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 0x80000005, 0xffffffff}};
}

SourceKind halves() {
  return {Operation::half,
          {0x0000, 0x8000, 0x0001, 0x8001, 0x0200, 0x03ff,     0x83ff,    0x0400, 0x8400, 0x1400,
           0x2e66, 0x3555, 0x37ff, 0x3800, 0x3bff, 0x3c00,     0xbc00,    0x3c01, 0x3e00, 0xbe00,
           0x4000, 0x4248, 0x4500, 0xc500, 0x6400, 0x6401,     0x7800,    0x7bff, 0xfbff, 0x7c00,
           0xfc00, 0x7e00, 0xfe01, 0x7c01, 0xfd55, 0xffff3c02, 0x12340402}};
}

SourceKind bfloats() {
  return {Operation::bfloat,
          {0x0000, 0x8000, 0x0001, 0x007f, 0x0080, 0x3f00, 0x3f80, 0xbf80, 0x3f81, 0x4049, 0x7f7f, 0xff7f,
           0x7f80, 0xff80, 0x7fc0, 0x7f81, 0xffff3eaa}};
}

SourceKind singles() {
  return {Operation::single,
          {0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x00400000, 0x007fffff, 0x807fffff,
           0x00800000, 0x80800000, 0x00ffffff, 0x01000001, 0x33800000, 0x34000000, 0x3dcccccd,
           0x3eaaaaab, 0x3effffff, 0x3f000000, 0xbf000000, 0x3f7fffff, 0x3f800000, 0xbf800000,
           0x3f800001, 0x3fc00000, 0xbfc00000, 0x40000000, 0x40200000, 0x40490fdb, 0xc0a00000,
           0x477fe000, 0x477fefff, 0x477ff000, 0x4b000001, 0x4b7fffff, 0x4effffff, 0x4f000000,
           0xcf000000, 0x4f7fffff, 0x4f800000, 0x7e967699, 0x7f7fffff, 0xff7fffff, 0x7f800000,
           0xff800000, 0x7fc00000, 0xffc12345, 0x7f800001, 0xffa00000, 0x387fffff, 0x33000001}};
}

SourceKind doubles() {
  return {Operation::double_,
          {0x0000000000000000, 0x8000000000000000, 0x0000000000000001, 0x800fffffffffffff, 0x0010000000000000,
           0x3fdfffffffffffff, 0x3fe0000000000000, 0xbfe0000000000000, 0x3ff0000000000000, 0xbff0000000000000,
           0x3ff0000000000001, 0x3ff8000000000000, 0xc004000000000000, 0x400921fb54442d18, 0x3fd5555555555555,
           0x41dfffffffc00000, 0x41e0000000000000, 0xc1e0000000200000, 0x41efffffffe00000, 0x4330000000000001,
           0x36a0000000000000, 0x3690000000000001, 0x47efffffe0000000, 0x47effffff0000000, 0x7fefffffffffffff,
           0xffefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0xfff8000000001234,
           0x7ff0000000000001, 0x380fffffe0000001}};
}

SourceKind pairs() {
  SourceKind result{Operation::pair, {}};
  const SourceKind single = halves();
  for (std::size_t i = 0; i < single.values.size(); ++i) {
    const std::uint64_t other = single.values[(i * 11 + 5) % single.values.size()];
    result.values.push_back((single.values[i] & 0xffff) | (other & 0xffff) << 16);
  }
  return result;
}

SourceKind mask() {
  return {Operation::mask, {}};
}

}  // namespace wavesmith::simulator::testing
