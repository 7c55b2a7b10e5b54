// berth-step-tls: the shepherd of a step whose srun is on another host. Started by the agent, not
// for use by hand.
#include <cstdio>

#include "berth/host/shepherd/shepherd.h"
#include "berth/trust/tls.h"

namespace berth {
namespace {

constexpr std::chrono::seconds kHandshake{10};

class TlsPeer final : public SecurePeer {
public:
    explicit TlsPeer(TlsStream stream) : stream_(std::move(stream)) {}
    ssize_t read(char* to, std::size_t size) override { return stream_.read(to, size); }
    ssize_t write(const char* from, std::size_t size) override { return stream_.write(from, size); }
    bool has_more() const override { return stream_.has_more(); }

private:
    TlsStream stream_;
};

Result<std::unique_ptr<SecurePeer>> secure(int socket, const std::string& secret) {
    BERTH_TRY(TlsStream stream, TlsStream::by_secret(socket, secret, kHandshake));
    return std::unique_ptr<SecurePeer>(std::make_unique<TlsPeer>(std::move(stream)));
}

}  // namespace
}  // namespace berth

int main(int count, char** arguments) {
    if (count != 2) {
        std::fprintf(stderr, "usage: berth-step-tls RUN_FOLDER   (berth-agent starts it)\n");
        return 2;
    }
    return berth::shepherd_run(arguments[1], berth::secure);
}
