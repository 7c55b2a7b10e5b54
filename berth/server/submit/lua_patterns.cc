// As lua_script.cc: no object with a destructor lives where Lua may raise an error.
#include "berth/server/submit/lua_patterns.h"

#include <array>
#include <cctype>
#include <cstring>
#include <lua5.4/lua.hpp>
#include <string_view>

namespace berth {
namespace {

constexpr std::size_t kCapturesMost = 32;
constexpr int kDepthMost = 200;
constexpr std::int64_t kStepsAtOnce = 1000;
constexpr std::ptrdiff_t kOpen = -1, kPosition = -2;  // Lengths of captures that have none.
constexpr char kEscape = '%';

int byte_of(char c) { return static_cast<unsigned char>(c); }

bool is_in_class(int c, int name) {
    bool is = false;
    switch (std::tolower(name)) {
        case 'a': is = std::isalpha(c) != 0; break;
        case 'c': is = std::iscntrl(c) != 0; break;
        case 'd': is = std::isdigit(c) != 0; break;
        case 'g': is = std::isgraph(c) != 0; break;
        case 'l': is = std::islower(c) != 0; break;
        case 'p': is = std::ispunct(c) != 0; break;
        case 's': is = std::isspace(c) != 0; break;
        case 'u': is = std::isupper(c) != 0; break;
        case 'w': is = std::isalnum(c) != 0; break;
        case 'x': is = std::isxdigit(c) != 0; break;
        default: return name == c;
    }
    return std::isupper(name) != 0 ? !is : is;
}

// `set` begins with "[" and `last` is its "]".
bool is_in_set(int c, const char* set, const char* last) {
    bool found = true;
    if (set[1] == '^') {
        found = false;
        ++set;
    }
    while (++set < last) {
        if (*set == kEscape) {
            ++set;
            if (is_in_class(c, byte_of(*set))) return found;
        } else if (set[1] == '-' && set + 2 < last) {
            set += 2;
            if (byte_of(set[-2]) <= c && c <= byte_of(*set)) return found;
        } else if (byte_of(*set) == c) {
            return found;
        }
    }
    return !found;
}

// One pattern and one subject. Both end with a NUL byte beyond their end, as Lua's strings do.
struct PatternMatch {
    struct Capture {
        const char* at;
        std::ptrdiff_t length;
    };

    lua_State* lua;
    const LuaCharge* charge;
    std::string_view subject, pattern;
    const char* subject_end;
    const char* pattern_end;
    std::int64_t steps;
    std::size_t level;
    int depth;
    std::array<Capture, kCapturesMost> captures;

    void count() {
        if (++steps < kStepsAtOnce) return;
        steps = 0;
        charge->charge(lua, kStepsAtOnce);
    }
    // The end of the match of the pattern from `p` on at `s`; nullptr: none.
    const char* match(const char* s, const char* p);
    const char* match_from(const char* s, const char* p);
    const char* match_default(const char*& s, const char*& p);
    const char* match_escape(const char*& s, const char*& p);
    const char* class_end(const char* p);
    bool match_one(const char* s, const char* p, const char* end) const;
    const char* most(const char* s, const char* p, const char* end);
    const char* fewest(const char* s, const char* p, const char* end);
    const char* begin_capture(const char* s, const char* p, std::ptrdiff_t what);
    const char* end_capture(const char* s, const char* p);
    const char* balanced(const char* s, const char* p);
    const char* same_as_capture(const char* s, int digit);
    void push_capture(std::size_t i, const char* s, const char* end);
    int push_captures(const char* s, const char* end);
};

// What match_default() and match_escape() say where the match goes on at their `s` and `p`.
constexpr const char* kGoOn = "";

const char* PatternMatch::class_end(const char* p) {
    const char c = *p++;
    if (c == kEscape) {
        if (p == pattern_end) luaL_error(lua, "malformed pattern (ends with '%%')");
        return p + 1;
    }
    if (c != '[') return p;
    if (*p == '^') ++p;
    do {
        if (p == pattern_end) luaL_error(lua, "malformed pattern (missing ']')");
        p += *p == kEscape && p + 1 < pattern_end ? 2 : 1;
    } while (*p != ']');
    return p + 1;
}

bool PatternMatch::match_one(const char* s, const char* p, const char* end) const {
    if (s >= subject_end) return false;
    const int c = byte_of(*s);
    switch (*p) {
        case '.': return true;
        case kEscape: return is_in_class(c, byte_of(p[1]));
        case '[': return is_in_set(c, p, end - 1);
        default: return byte_of(*p) == c;
    }
}

const char* PatternMatch::most(const char* s, const char* p, const char* end) {
    std::ptrdiff_t n = 0;
    while (match_one(s + n, p, end)) {
        ++n;
        count();
    }
    for (; n >= 0; --n) {
        if (const char* const found = match(s + n, end + 1)) return found;
    }
    return nullptr;
}

const char* PatternMatch::fewest(const char* s, const char* p, const char* end) {
    for (;; ++s) {
        if (const char* const found = match(s, end + 1)) return found;
        if (!match_one(s, p, end)) return nullptr;
    }
}

const char* PatternMatch::begin_capture(const char* s, const char* p, std::ptrdiff_t what) {
    if (level >= kCapturesMost) luaL_error(lua, "too many captures");
    captures[level] = {s, what};
    ++level;
    const char* const found = match(s, p);
    if (found == nullptr) --level;
    return found;
}

const char* PatternMatch::end_capture(const char* s, const char* p) {
    std::size_t i = level;
    while (i > 0 && captures[i - 1].length != kOpen) --i;
    if (i == 0) luaL_error(lua, "invalid pattern capture");
    Capture& capture = captures[i - 1];
    capture.length = s - capture.at;
    const char* const found = match(s, p);
    if (found == nullptr) capture.length = kOpen;
    return found;
}

const char* PatternMatch::balanced(const char* s, const char* p) {
    if (p >= pattern_end - 1) luaL_error(lua, "malformed pattern (missing arguments to '%%b')");
    if (*s != *p) return nullptr;
    const char open = *p, close = p[1];
    for (int depth_of = 1; ++s < subject_end;) {
        count();
        if (*s == close) {
            if (--depth_of == 0) return s + 1;
        } else if (*s == open) {
            ++depth_of;
        }
    }
    return nullptr;
}

const char* PatternMatch::same_as_capture(const char* s, int digit) {
    const int i = digit - '1';
    if (i < 0 || static_cast<std::size_t>(i) >= level ||
        captures[static_cast<std::size_t>(i)].length == kOpen) {
        luaL_error(lua, "invalid capture index %%%d", i + 1);
    }
    const Capture& capture = captures[static_cast<std::size_t>(i)];
    const auto length = static_cast<std::size_t>(capture.length);
    if (static_cast<std::size_t>(subject_end - s) < length) return nullptr;
    steps += capture.length / 64;
    return std::memcmp(capture.at, s, length) == 0 ? s + length : nullptr;
}

// A character or class, and how often it may stand there.
const char* PatternMatch::match_default(const char*& s, const char*& p) {
    const char* const end = class_end(p);
    const char often = end == pattern_end ? '\0' : *end;
    if (!match_one(s, p, end)) {
        if (often != '*' && often != '?' && often != '-') return nullptr;
        p = end + 1;
        return kGoOn;
    }
    switch (often) {
        case '?':
            if (const char* const found = match(s + 1, end + 1)) return found;
            p = end + 1;
            return kGoOn;
        case '+': return most(s + 1, p, end);
        case '*': return most(s, p, end);
        case '-': return fewest(s, p, end);
        default:
            ++s;
            p = end;
            return kGoOn;
    }
}

const char* PatternMatch::match_escape(const char*& s, const char*& p) {
    if (p[1] == 'b') {
        s = balanced(s, p + 2);
        if (s == nullptr) return nullptr;
        p += 4;
        return kGoOn;
    }
    if (p[1] == 'f') {
        p += 2;
        if (*p != '[') luaL_error(lua, "missing '[' after '%%f' in pattern");
        const char* const end = class_end(p);
        const int before = s == subject.data() ? 0 : byte_of(s[-1]);
        if (is_in_set(before, p, end - 1) || !is_in_set(byte_of(*s), p, end - 1)) return nullptr;
        p = end;
        return kGoOn;
    }
    if (std::isdigit(byte_of(p[1])) == 0) return match_default(s, p);
    s = same_as_capture(s, byte_of(p[1]));
    if (s == nullptr) return nullptr;
    p += 2;
    return kGoOn;
}

const char* PatternMatch::match_from(const char* s, const char* p) {
    while (p != pattern_end) {
        count();
        const char* found = kGoOn;
        switch (*p) {
            case '(':
                return p[1] == ')' ? begin_capture(s, p + 2, kPosition)
                                   : begin_capture(s, p + 1, kOpen);
            case ')': return end_capture(s, p + 1);
            case '$':
                if (p + 1 == pattern_end) return s == subject_end ? s : nullptr;
                found = match_default(s, p);
                break;
            case kEscape: found = match_escape(s, p); break;
            default: found = match_default(s, p);
        }
        if (found != kGoOn) return found;
    }
    return s;
}

const char* PatternMatch::match(const char* s, const char* p) {
    if (++depth > kDepthMost) luaL_error(lua, "pattern too complex");
    const char* const found = match_from(s, p);
    --depth;
    return found;
}

// Capture `i`, or the whole match for the first one of a pattern without captures.
void PatternMatch::push_capture(std::size_t i, const char* s, const char* end) {
    if (i >= level) {
        if (i != 0) luaL_error(lua, "invalid capture index %%%d", static_cast<int>(i + 1));
        lua_pushlstring(lua, s, static_cast<std::size_t>(end - s));
        return;
    }
    const Capture& capture = captures[i];
    if (capture.length == kOpen) luaL_error(lua, "unfinished capture");
    if (capture.length == kPosition) {
        lua_pushinteger(lua, capture.at - subject.data() + 1);
    } else {
        lua_pushlstring(lua, capture.at, static_cast<std::size_t>(capture.length));
    }
}

int PatternMatch::push_captures(const char* s, const char* end) {
    const std::size_t all = level == 0 && s != nullptr ? 1 : level;
    luaL_checkstack(lua, static_cast<int>(all), "too many captures");
    for (std::size_t i = 0; i < all; ++i) push_capture(i, s, end);
    return static_cast<int>(all);
}

std::string_view text_argument(lua_State* lua, int index) {
    std::size_t length = 0;
    const char* const text = luaL_checklstring(lua, index, &length);
    return {text, length};
}

PatternMatch prepare(lua_State* lua, std::string_view subject, std::string_view pattern) {
    PatternMatch m{};
    m.lua = lua;
    m.charge = static_cast<const LuaCharge*>(lua_touserdata(lua, lua_upvalueindex(1)));
    m.subject = subject;
    m.pattern = pattern;
    m.subject_end = subject.data() + subject.size();
    m.pattern_end = pattern.data() + pattern.size();
    return m;
}

// Where to begin, from 0: an argument from 1, or from the end if negative.
std::size_t begin_argument(lua_State* lua, int index, std::size_t length) {
    const lua_Integer given = luaL_optinteger(lua, index, 1);
    if (given > 0) return static_cast<std::size_t>(given) - 1;
    if (given == 0 || given < -static_cast<lua_Integer>(length)) return 0;
    return static_cast<std::size_t>(static_cast<lua_Integer>(length) + given);
}

int push_plain(const PatternMatch& m, std::size_t begin) {
    m.charge->charge(m.lua, static_cast<std::int64_t>(m.subject.size() / 64));
    const char* const from = m.subject.data() + begin;
    const void* const found =
        ::memmem(from, m.subject.size() - begin, m.pattern.data(), m.pattern.size());
    if (found == nullptr) return lua_pushnil(m.lua), 1;
    const lua_Integer at = static_cast<const char*>(found) - m.subject.data();
    lua_pushinteger(m.lua, at + 1);
    lua_pushinteger(m.lua, at + static_cast<lua_Integer>(m.pattern.size()));
    return 2;
}

int search(lua_State* lua, bool find) {
    const std::string_view subject = text_argument(lua, 1), pattern = text_argument(lua, 2);
    const std::size_t begin = begin_argument(lua, 3, subject.size());
    if (begin > subject.size()) return lua_pushnil(lua), 1;
    PatternMatch m = prepare(lua, subject, pattern);
    const bool plain = pattern.find_first_of("^$*+?.([%-") == std::string_view::npos;
    if (find && (plain || lua_toboolean(lua, 4) != 0)) return push_plain(m, begin);
    const char* p = pattern.data();
    const bool anchored = *p == '^';
    if (anchored) ++p;
    for (const char* s = subject.data() + begin; s <= m.subject_end; ++s) {
        m.level = 0;
        m.count();
        if (const char* const end = m.match(s, p)) {
            if (!find) return m.push_captures(s, end);
            lua_pushinteger(lua, s - subject.data() + 1);
            lua_pushinteger(lua, end - subject.data());
            return m.push_captures(nullptr, nullptr) + 2;
        }
        if (anchored) break;
    }
    lua_pushnil(lua);
    return 1;
}

int find_pattern(lua_State* lua) { return search(lua, true); }
int match_pattern(lua_State* lua) { return search(lua, false); }

// Upvalues: the charge, subject, pattern, where to go on, and the end of the last match (-1: none).
int next_match(lua_State* lua) {
    const std::string_view subject = text_argument(lua, lua_upvalueindex(2));
    const std::string_view pattern = text_argument(lua, lua_upvalueindex(3));
    const lua_Integer last = lua_tointeger(lua, lua_upvalueindex(5));
    PatternMatch m = prepare(lua, subject, pattern);
    const auto begin = static_cast<std::size_t>(lua_tointeger(lua, lua_upvalueindex(4)));
    if (begin > subject.size()) return 0;
    for (const char* s = subject.data() + begin; s <= m.subject_end; ++s) {
        m.level = 0;
        m.count();
        const char* const end = m.match(s, pattern.data());
        if (end == nullptr || end - subject.data() == last) continue;
        lua_pushinteger(lua, end - subject.data());
        lua_copy(lua, -1, lua_upvalueindex(4));
        lua_replace(lua, lua_upvalueindex(5));
        return m.push_captures(s, end);
    }
    return 0;
}

int each_match(lua_State* lua) {
    const std::size_t length = text_argument(lua, 1).size();
    text_argument(lua, 2);
    const std::size_t begin = begin_argument(lua, 3, length);
    lua_settop(lua, 2);
    lua_pushvalue(lua, lua_upvalueindex(1));
    lua_insert(lua, 1);
    lua_pushinteger(lua, static_cast<lua_Integer>(begin > length ? length + 1 : begin));
    lua_pushinteger(lua, -1);
    lua_pushcclosure(lua, next_match, 5);
    return 1;
}

// "%1" and the like in the text that replaces.
void add_text(PatternMatch& m, luaL_Buffer& out, const char* s, const char* end) {
    lua_State* const lua = m.lua;
    std::size_t length = 0;
    const char* text = lua_tolstring(lua, 3, &length);
    const char* const text_end = text + length;
    m.steps += static_cast<std::int64_t>(length / 64);
    while (const void* const found =
               std::memchr(text, kEscape, static_cast<std::size_t>(text_end - text))) {
        const char* const mark = static_cast<const char*>(found);
        luaL_addlstring(&out, text, static_cast<std::size_t>(mark - text));
        const char what = mark[1];
        if (what == kEscape) {
            luaL_addchar(&out, kEscape);
        } else if (what == '0') {
            luaL_addlstring(&out, s, static_cast<std::size_t>(end - s));
        } else if (std::isdigit(byte_of(what)) != 0) {
            m.push_capture(static_cast<std::size_t>(what - '1'), s, end);
            luaL_tolstring(lua, -1, nullptr);
            lua_remove(lua, -2);
            luaL_addvalue(&out);
        } else {
            luaL_error(lua, "invalid use of '%%' in replacement string");
        }
        text = mark + 2;
    }
    luaL_addlstring(&out, text, static_cast<std::size_t>(text_end - text));
}

void add_replacement(PatternMatch& m, luaL_Buffer& out, const char* s, const char* end) {
    lua_State* const lua = m.lua;
    switch (lua_type(lua, 3)) {
        case LUA_TFUNCTION:
            lua_pushvalue(lua, 3);
            lua_call(lua, m.push_captures(s, end), 1);
            break;
        case LUA_TTABLE:
            m.push_capture(0, s, end);
            lua_gettable(lua, 3);
            break;
        default: return add_text(m, out, s, end);
    }
    if (lua_toboolean(lua, -1) == 0) {
        lua_pop(lua, 1);
        luaL_addlstring(&out, s, static_cast<std::size_t>(end - s));
    } else if (lua_isstring(lua, -1) == 0) {
        luaL_error(lua, "invalid replacement value (a %s)", luaL_typename(lua, -1));
    } else {
        luaL_addvalue(&out);
    }
}

int replace_pattern(lua_State* lua) {
    const std::string_view subject = text_argument(lua, 1), pattern = text_argument(lua, 2);
    const int kind = lua_type(lua, 3);
    if (kind != LUA_TNUMBER && kind != LUA_TSTRING && kind != LUA_TFUNCTION && kind != LUA_TTABLE)
        return luaL_typeerror(lua, 3, "string/function/table");
    const lua_Integer most = luaL_optinteger(lua, 4, static_cast<lua_Integer>(subject.size()) + 1);
    PatternMatch m = prepare(lua, subject, pattern);
    const char* p = pattern.data();
    const bool anchored = *p == '^';
    if (anchored) ++p;
    luaL_Buffer out;
    luaL_buffinit(lua, &out);
    const char* s = subject.data();
    const char* last = nullptr;
    lua_Integer done = 0;
    while (done < most) {
        m.level = 0;
        m.count();
        const char* const end = m.match(s, p);
        if (end != nullptr && end != last) {
            ++done;
            add_replacement(m, out, s, end);
            s = last = end;
        } else if (s < m.subject_end) {
            luaL_addchar(&out, *s);
            ++s;
        } else {
            break;
        }
        if (anchored) break;
    }
    luaL_addlstring(&out, s, static_cast<std::size_t>(m.subject_end - s));
    luaL_pushresult(&out);
    lua_pushinteger(lua, done);
    return 2;
}

constexpr auto kPatternFunctions = std::to_array<luaL_Reg>({
    {"find", find_pattern},
    {"match", match_pattern},
    {"gmatch", each_match},
    {"gsub", replace_pattern},
    {nullptr, nullptr},
});

}  // namespace

void open_counted_patterns(lua_State* lua, const LuaCharge& charge) {
    lua_getglobal(lua, LUA_STRLIBNAME);
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): it is only read.
    lua_pushlightuserdata(lua, const_cast<LuaCharge*>(&charge));
    luaL_setfuncs(lua, kPatternFunctions.data(), 1);
    lua_pop(lua, 1);
}

}  // namespace berth
