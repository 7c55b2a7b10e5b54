#include "berth/engine/state/shared_parts.h"

#include "berth/base/codec.h"
#include "berth/model/gres_lists.h"

namespace berth {
namespace {

template <class Known, class Text>
void sweep(Known& known, std::size_t& sweep_at, Text text_of) {
    if (known.size() <= sweep_at) return;
    std::erase_if(known, [&](const auto& entry) { return text_of(entry).is_alone(); });
    sweep_at = 64 + 2 * known.size();
}

}  // namespace

template <class T>
template <class Prepare>
void SharedParts::Pool<T>::share(Shared<T>& part, Prepare prepare) {
    Shared<T>& one = known[hash_of(*part)];
    if (one == part) {
        part = one;
    } else {
        prepare(part.edit());
        one = part;
    }
    sweep(known, sweep_at, [](const auto& entry) -> const auto& { return entry.second; });
}

template <class T>
void SharedParts::Pool<T>::share(Shared<T>& part) {
    if (part.is_same({})) return;  // The default value.
    share(part, [](T&) {});
}

void SharedParts::Texts::share(SharedText& text) {
    if (text.empty()) return;
    text = *known.insert(text).first;
    sweep(known, sweep_at, [](const SharedText& one) -> const auto& { return one; });
}

void SharedParts::share_parts(JobRequest& request) {
    for (auto* const list : gres_lists(request)) gres_.share(*list);
    nearness_.share(request.nearness);
    texts_.share(request.constraint);
    texts_.share(request.reservation);
}

void SharedParts::share(JobSpec& spec) {
    requests_.share(spec.request, [this](JobRequest& request) { share_parts(request); });
    commands_.share(spec.command);
    for (SharedText* const text : {&spec.name, &spec.partition, &spec.account, &spec.qos}) {
        texts_.share(*text);
    }
}

void SharedParts::share(Job& job) {
    share(job.spec);
    owners_.share(job.owner, [this](Owner& owner) {
        texts_.share(owner.user);
        texts_.share(owner.group);
    });
}

std::size_t SharedParts::size() const {
    return requests_.known.size() + commands_.known.size() + gres_.known.size() +
           nearness_.known.size() + owners_.known.size() + texts_.known.size();
}

}  // namespace berth
