#include "berth/slurm/jobs/sbcast_script.h"

#include <cstdio>

namespace berth::slurm {
namespace {

// $1 destination, $2 size, $3 mode, $4 force, $5 and $6 times or empty, $7 whether the node's name
// follows the destination, $8 what follows both, $9 whether to make the folder. A new file of the
// folder's own gets the bytes, so that nobody sees half of them, and a program that runs is not
// written to.
constexpr const char* kScript = R"sh(
fail() { cat >/dev/null; echo "sbcast: error: REQUEST_FILE_BCAST(${SLURMD_NODENAME:-?}): $2" >&2; exit "$1"; }
umask 077
to=$1
[ "$7" != 1 ] || to=$to${SLURMD_NODENAME:-?}
to=$to$8
if [ "$4" != 1 ] && { [ -e "$to" ] || [ -L "$to" ]; }; then fail 17 "File exists"; fi
[ ! -d "$to" ] || fail 21 "Is a directory"
folder=$(dirname -- "$to")
[ "$9" != 1 ] || mkdir -p -m 700 -- "$folder" 2>/dev/null
[ -d "$folder" ] || fail 2 "No such file or directory"
new=$(mktemp -- "$folder/.sbcast.XXXXXXXX" 2>/dev/null) || fail 13 "Permission denied"
trap 'rm -f -- "$new"' EXIT
cat >"$new" || fail 28 "No space left on device"
[ "$(stat -c %s -- "$new")" = "$2" ] || fail 5 "Input/output error: the file is cut off"
chmod "$3" -- "$new" || fail 1 "Operation not permitted"
if [ -n "$5" ]; then touch -a -d "@$5" -- "$new" && touch -m -d "@$6" -- "$new"; fi
if [ "$4" = 1 ]; then
    mv -f -T -- "$new" "$to" || fail 1 "Operation not permitted"
else
    ln -T -- "$new" "$to" 2>/dev/null || fail 17 "File exists"
fi
)sh";

}  // namespace

std::vector<std::string> broadcast_command(const BroadcastFile& file) {
    char mode[8] = {};
    std::snprintf(mode, sizeof mode, "%04o", file.mode & 0777U);
    return {"/bin/sh",
            "-c",
            kScript,
            "sbcast",
            file.destination,
            std::to_string(file.size),
            mode,
            file.force ? "1" : "0",
            file.preserve ? std::to_string(file.accessed) : "",
            file.preserve ? std::to_string(file.modified) : "",
            file.names_node ? "1" : "0",
            file.behind,
            file.makes_folder ? "1" : "0"};
}

}  // namespace berth::slurm
