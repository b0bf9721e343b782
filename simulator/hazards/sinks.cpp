// Sinks by unit and mnemonic; sinks.h has the meaning. The orders of operands are those of the rows in
// groups/.
#include "simulator/hazards/sinks.h"

namespace wavesmith::simulator {
namespace {

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// Operands that are read: sources, and destinations whose old value counts.
std::uint8_t sources(const Instruction& i) {
  const bool rereads = (i.row->traits & static_cast<TraitSet>(Trait::reads_destination)) != 0;
  unsigned mask = 0;
  for (unsigned k = rereads ? 0 : i.destinations; k < i.operand_count; ++k) mask |= 1u << k;
  return static_cast<std::uint8_t>(mask);
}

std::uint32_t stored_bits(std::string_view mnemonic) {
  const bool byte = has(mnemonic, "store_byte"), half = has(mnemonic, "store_short");
  const std::uint32_t low = byte ? 0xffu : half ? 0xffffu : ~0u;
  return (byte || half) && mnemonic.ends_with("_d16_hi") ? low << 16 : low;
}

/// GLOBAL, FLAT and SCRATCH have their data behind the address; MUBUF has it first, and an atomic that
/// returns a value has it as its destination.
void add_vector_memory(Sinks& sinks, const Instruction& i) {
  const std::string_view mnemonic = i.row->mnemonic;
  sinks.use = SinkUse::address;
  sinks.lanes_needed = true;
  unsigned addresses = 0;
  for (unsigned k = i.destinations; k < i.operand_count; ++k) addresses |= 1u << k;
  if (i.row->unit == Unit::vmem_store) {
    const bool buffer = mnemonic.starts_with("buffer");
    const auto data = static_cast<std::uint8_t>(buffer ? 0u : i.destinations + 1u);
    addresses &= ~(1u << data);
    if (!mnemonic.starts_with("scratch")) sinks.data = data;
    sinks.data_bits = stored_bits(mnemonic);
  } else {
    sinks.m0 = contains(kBufferLdsForms, i.form) || has(mnemonic, "_lds_");
  }
  sinks.operands = static_cast<std::uint8_t>(addresses);
}

void add_lds(Sinks& sinks, const Instruction& i) {
  const std::string_view mnemonic = i.row->mnemonic;
  if (mnemonic == "ds_nop" || mnemonic == "ds_swizzle_b32") return;
  sinks.use = SinkUse::address;
  sinks.lanes_needed = true;
  sinks.m0 = has(mnemonic, "addtid") || mnemonic == "ds_append" || mnemonic == "ds_consume";
  if (!sinks.m0) sinks.operands = static_cast<std::uint8_t>(1u << i.destinations);
}

void add_branch(Sinks& sinks, const Instruction& i) {
  const std::string_view mnemonic = i.row->mnemonic;
  const bool indirect = (i.row->traits & static_cast<TraitSet>(Trait::indirect)) != 0;
  sinks.use = indirect ? SinkUse::jump : SinkUse::branch;
  if (indirect) sinks.operands = sources(i);
  sinks.scc = mnemonic.starts_with("s_cbranch_scc");
  sinks.vcc = mnemonic.starts_with("s_cbranch_vcc");
}

}  // namespace

std::string_view sentence(SinkUse use) {
  switch (use) {
    case SinkUse::none:
      break;
    case SinkUse::address:
      return "is part of an address";
    case SinkUse::matrix:
      return "is an operand of a matrix instruction";
    case SinkUse::stored:
      return "is stored";
    case SinkUse::branch:
      return "decides a branch";
    case SinkUse::exec:
      return "says which lanes are active";
    case SinkUse::lane:
      return "selects a lane";
    case SinkUse::jump:
      return "is jumped to";
    case SinkUse::mode:
      return "sets a mode";
  }
  return "";
}

Sinks sinks_of(const Instruction& i) {
  const std::string_view mnemonic = i.row->mnemonic;
  Sinks sinks;
  switch (i.row->unit) {
    case Unit::mfma:
      sinks.use = SinkUse::matrix;
      sinks.operands = sources(i);
      sinks.all_lanes = true;
      break;
    case Unit::vmem_load:
    case Unit::vmem_store:
      add_vector_memory(sinks, i);
      break;
    case Unit::lds:
      add_lds(sinks, i);
      break;
    case Unit::smem:
      sinks.use = SinkUse::address;
      sinks.operands = sources(i);
      break;
    case Unit::branch:
      add_branch(sinks, i);
      break;
    default:
      if (mnemonic == "v_readlane_b32" || mnemonic == "v_writelane_b32") {
        sinks.use = SinkUse::lane;
        sinks.operands = static_cast<std::uint8_t>(1u << (i.destinations + 1u));
      } else if (mnemonic == "s_setreg_b32") {
        sinks.use = SinkUse::mode;
        sinks.operands = sources(i);
      }
      break;
  }
  return sinks;
}

}  // namespace wavesmith::simulator
