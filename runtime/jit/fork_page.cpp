// MADV_WIPEONFORK (Linux 4.14), else the process id.
#include "runtime/jit/fork_page.h"

#include <new>

#include <unistd.h>

#include <sys/mman.h>

namespace wavesmith::runtime {
namespace {

std::size_t page_bytes() {
  return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

ForkPage::ForkPage() : owner_(getpid()) {
  void* page = mmap(nullptr, page_bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return;
  if (madvise(page, page_bytes(), MADV_WIPEONFORK) != 0) {
    munmap(page, page_bytes());
    return;
  }
  mark_ = new (page) std::atomic<int>(1);
}

ForkPage::~ForkPage() {
  if (mark_ != nullptr) munmap(mark_, page_bytes());
}

bool ForkPage::same_process() const {
  return mark_ != nullptr ? mark_->load(std::memory_order_relaxed) != 0 : getpid() == owner_;
}

}  // namespace wavesmith::runtime
