#include "berth/engine/shared_parts.h"

#include "berth/base/codec.h"

namespace berth {

template <class T>
void SharedParts::Pool<T>::share(Shared<T>& part) {
    Shared<T>& one = known[hash_of(*part)];
    if (one == part) {
        part = one;
    } else {
        one = part;
    }
    if (known.size() <= sweep_at) return;
    std::erase_if(known, [](const auto& entry) { return entry.second.is_alone(); });
    sweep_at = 64 + 2 * known.size();
}

void SharedParts::share(JobSpec& spec) {
    requests_.share(spec.request);
    commands_.share(spec.command);
}

}  // namespace berth
