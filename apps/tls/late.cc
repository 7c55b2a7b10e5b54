// TlsStream for the commands: forwards to berth-tls.so, which the first call loads.
#include <dlfcn.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>

#include "apps/tls/plugin.h"
#include "berth/trust/tls.h"

namespace berth {
namespace {

const TlsPlugin& plugin();

struct Closes {
    void operator()(void* stream) const { plugin().close(stream); }
};

}  // namespace

struct TlsStream::State {
    std::unique_ptr<void, Closes> stream;
    std::string authority;
};

namespace {

// Beside this program in a build tree, or where packages install it.
Result<const TlsPlugin*> load() {
    std::error_code failed;
    const auto folder = std::filesystem::read_symlink("/proc/self/exe", failed).parent_path();
    std::string why = failed.message();
    for (const auto& place : {folder, folder.parent_path() / "lib" / "berth"}) {
        void* const library = ::dlopen((place / kTlsPluginFile).c_str(), RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) {
            why = ::dlerror();
            continue;
        }
        using Entry = const TlsPlugin* (*)();
        // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): how dlsym gives functions.
        const auto entry = reinterpret_cast<Entry>(::dlsym(library, kTlsPluginEntry));
        if (entry != nullptr && std::strcmp(entry()->version, BERTH_VERSION) == 0) return entry();
        why = (place / kTlsPluginFile).string() + " is of another version than this command";
    }
    return Error{ErrorCode::unavailable,
                 "what encrypts calls to other hosts cannot be loaded: " + why};
}

const Result<const TlsPlugin*>& loaded() {
    static const Result<const TlsPlugin*> once = load();
    return once;
}

const TlsPlugin& plugin() { return **loaded(); }

using States = std::unique_ptr<TlsStream::State>;

// `how` is to_controller, to_fingerprint or by_secret.
template <class How, class Until>
Result<States> open(How how, int socket, std::string_view known_by, const Until& until) {
    BERTH_CHECK(loaded());
    TlsPlugin::Refusal why;
    void* const stream = (plugin().*how)(socket, known_by, until, why);
    if (stream == nullptr) return Error{static_cast<ErrorCode>(why.code), why.text};
    auto state = std::make_unique<TlsStream::State>();
    state->stream.reset(stream);
    state->authority = plugin().authority(stream);
    return state;
}

}  // namespace

TlsStream::TlsStream(std::unique_ptr<State> state) : state_(std::move(state)) {}
TlsStream::TlsStream(TlsStream&&) noexcept = default;
TlsStream& TlsStream::operator=(TlsStream&&) noexcept = default;
TlsStream::~TlsStream() = default;

Result<TlsStream> TlsStream::to_controller(int socket, const std::string& authority,
                                           const Wait& wait) {
    BERTH_TRY(States state, open(&TlsPlugin::to_controller, socket, authority, wait));
    return TlsStream(std::move(state));
}
Result<TlsStream> TlsStream::to_fingerprint(int socket, const std::string& fingerprint,
                                            const Wait& wait) {
    BERTH_TRY(States state, open(&TlsPlugin::to_fingerprint, socket, fingerprint, wait));
    return TlsStream(std::move(state));
}
Result<TlsStream> TlsStream::by_secret(int socket, std::string_view secret, Timeout most) {
    BERTH_TRY(States state, open(&TlsPlugin::by_secret, socket, secret, most));
    return TlsStream(std::move(state));
}
// srun must not wait for ever for a peer that cannot come.
TlsStream TlsStream::accept_while_reading(int socket, std::string_view secret) {
    auto state = std::make_unique<State>();
    if (loaded().ok()) {
        state->stream.reset(plugin().accept_while_reading(socket, secret));
    } else {
        std::fprintf(stderr, "%s\n", loaded().error().message.c_str());
    }
    return TlsStream(std::move(state));
}

ssize_t TlsStream::read(char* to, std::size_t size) {
    if (state_->stream != nullptr) return plugin().read(state_->stream.get(), to, size);
    errno = ECONNRESET;
    return -1;
}
ssize_t TlsStream::write(const char* from, std::size_t size) {
    if (state_->stream != nullptr) return plugin().write(state_->stream.get(), from, size);
    errno = EPIPE;
    return -1;
}
bool TlsStream::has_more() const {
    return state_->stream != nullptr && plugin().has_more(state_->stream.get());
}
const std::string& TlsStream::authority() const { return state_->authority; }

}  // namespace berth
