# Writes a header with the SHA-256 of the emitter's own sources: cmake -DROOT=… -DOUTPUT=… -P EmitterIdentity.cmake
file(GLOB_RECURSE sources RELATIVE "${ROOT}" "${ROOT}/generator/*.h" "${ROOT}/generator/*.cpp" "${ROOT}/ir_builder/*.h"
     "${ROOT}/ir_builder/*.cpp" "${ROOT}/lowering/*.h" "${ROOT}/lowering/*.cpp")
list(SORT sources)
set(listing "")
foreach(source IN LISTS sources)
  file(SHA256 "${ROOT}/${source}" hash)
  string(APPEND listing "${source} ${hash}\n")
endforeach()
string(SHA256 identity "${listing}")
set(text "#pragma once\n#include <string_view>\n\nnamespace wavesmith::generator {\ninline constexpr std::string_view emitter_sources_sha256 =\n    \"${identity}\";\n}\n")
# Left untouched when nothing changed, so that nothing is rebuilt.
if(EXISTS "${OUTPUT}")
  file(READ "${OUTPUT}" old)
endif()
if(NOT "${old}" STREQUAL "${text}")
  file(WRITE "${OUTPUT}" "${text}")
endif()
