#include "berth/slurm/options/option_values.h"

#include "berth/model/invalid_argument.h"

namespace berth::slurm {

Error invalid_number(const char* value, const char* option_name) {
    return invalid_argument(std::string("Invalid numeric value \"") + value + "\" for --" +
                            option_name + ".");
}

}  // namespace berth::slurm
