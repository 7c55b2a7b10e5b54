// SharedParts: requests and commands that many jobs have in common, each held once. A user who
// submits the same a thousand times asks for the same a thousand times.
#pragma once

#include <cstdint>
#include <map>

#include "berth/model/job.h"

namespace berth {

class SharedParts {
public:
    // Has this job hold what an equal one holds already.
    void share(JobSpec& spec);
    std::size_t size() const { return requests_.known.size() + commands_.known.size(); }

private:
    template <class T>
    struct Pool {
        std::map<std::uint64_t, Shared<T>> known;  // By hash; of two with one hash, the later.
        std::size_t sweep_at = 64;                 // Beyond so many, what no job holds goes.
        void share(Shared<T>& part);
    };
    Pool<JobRequest> requests_;
    Pool<JobCommand> commands_;
};

}  // namespace berth
