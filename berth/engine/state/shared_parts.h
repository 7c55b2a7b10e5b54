// SharedParts: holds once what many jobs have in common: requests and commands, lists of GRES
// within requests, owners, names. A user who submits a job a thousand times repeats all of these.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "berth/model/job.h"

namespace berth {

class SharedParts {
public:
    // Makes the job share the parts that an equal job already holds.
    void share(JobSpec& spec);
    void share(Job& job);
    std::size_t size() const;

private:
    template <class T>
    struct Pool {
        std::map<std::uint64_t, Shared<T>> known;  // By hash. On a collision, the later value wins.
        std::size_t sweep_at = 64;  // Beyond this many, parts that no job holds are dropped.
        template <class Prepare>
        void share(Shared<T>& part, Prepare prepare);  // prepare(T&) is called for a new part.
        void share(Shared<T>& part);
    };
    struct Texts {
        std::set<SharedText, std::less<>> known;
        std::size_t sweep_at = 64;
        void share(SharedText& text);
    };
    void share_parts(JobRequest& request);

    Pool<JobRequest> requests_;
    Pool<JobCommand> commands_;
    Pool<std::vector<GresRequest>> gres_;
    Pool<TopologyConstraint> nearness_;
    Pool<Owner> owners_;
    Texts texts_;
};

}  // namespace berth
