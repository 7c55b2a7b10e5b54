// berth-step: the shepherd of one run. Started by the agent, not for use by hand.
#include <cstdio>

#include "berth/host/shepherd/shepherd.h"

int main(int count, char** arguments) {
    if (count != 2) {
        std::fprintf(stderr, "usage: berth-step RUN_FOLDER   (berth-agent starts it)\n");
        return 2;
    }
    return berth::shepherd_run(arguments[1]);
}
