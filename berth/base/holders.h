// Holders: how many hold a value that is shared. Counted as std::shared_ptr does it: holders in
// several threads do not disturb each other, and while there is one thread it is a plain number.
#pragma once

#include <ext/atomicity.h>

namespace berth {

class Holders {  // One, who made it.
public:
    void add() { __gnu_cxx::__atomic_add_dispatch(&count_, 1); }
    bool drop() { return __gnu_cxx::__exchange_and_add_dispatch(&count_, -1) == 1; }  // The last.
    bool is_one() const { return __atomic_load_n(&count_, __ATOMIC_ACQUIRE) == 1; }

private:
    _Atomic_word count_ = 1;
};

}  // namespace berth
