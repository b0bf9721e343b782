# Functions that give every target of the project the same language level, warnings, sanitizers and include paths.

# The language level and diagnostics of one target.
function(wavesmith_configure target)
  target_compile_features(${target} PUBLIC cxx_std_23)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON
                                             CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_include_directories(${target} PUBLIC "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}")
  # Floating-point results of the oracle and the simulator must not depend on the host compiler's liberties.
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                                           -ffp-contract=off)
  if(WAVESMITH_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(WAVESMITH_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${WAVESMITH_SANITIZE} -fno-sanitize-recover=all
                                             -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=${WAVESMITH_SANITIZE})
  endif()
endfunction()

# Lets fuzz targets, which come with clang, follow a library by coverage.
function(wavesmith_fuzzed target)
  if(WAVESMITH_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
endfunction()

# wavesmith_library(NAME SOURCES... LINK...): a static library with the project's settings.
function(wavesmith_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  wavesmith_configure(${name})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
endfunction()

# wavesmith_test(NAME SOURCES... LINK...): one Catch2 executable whose cases ctest runs one by one.
function(wavesmith_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  wavesmith_configure(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} Catch2::Catch2WithMain)
  # Catch2's macros use __COUNTER__, which clang 22 counts as an extension in pedantic mode.
  target_compile_options(${name} PRIVATE $<$<CXX_COMPILER_ID:Clang>:-Wno-c2y-extensions>)
  # Discovery at ctest time keeps the build free of running sanitized programs. Exit status 4 is Catch2's
  # "all tests skipped"; SKIP_RETURN_CODE makes ctest count such a case as skipped.
  catch_discover_tests(${name} DISCOVERY_MODE PRE_TEST PROPERTIES SKIP_RETURN_CODE 4)
endfunction()

# LLVM is found where it is used (the compiler worker, the disassembler), never by libwavesmith itself.
macro(wavesmith_find_llvm)
  # LLVMConfigVersion wants the same major.minor; other LLVMs on the machine must not be taken by accident.
  find_package(LLVM 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/llvm)
endmacro()
