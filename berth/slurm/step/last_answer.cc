#include "berth/slurm/step/last_answer.h"

#include <unistd.h>

namespace berth::slurm {
namespace {

constexpr unsigned kGraceSeconds = 1;

extern "C" void wait_a_little(int) { alarm(kGraceSeconds); }

extern "C" void end_as_by_term(int) {
    (void)std::signal(SIGTERM, SIG_DFL);
    (void)std::raise(SIGTERM);
}

struct sigaction action_of(void (*run)(int)) {
    struct sigaction action{};
    action.sa_handler = run;
    action.sa_flags = SA_RESTART;
    return action;
}

}  // namespace

LastAnswer::LastAnswer() {
    const struct sigaction later = action_of(wait_a_little), end = action_of(end_as_by_term);
    sigaction(SIGALRM, &end, &alarm_before_);
    sigaction(SIGTERM, &later, &term_before_);
}

LastAnswer::~LastAnswer() {
    sigaction(SIGTERM, &term_before_, nullptr);
    alarm(0);
    sigaction(SIGALRM, &alarm_before_, nullptr);
}

}  // namespace berth::slurm
