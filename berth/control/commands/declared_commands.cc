// What administrators define while the cluster runs: reservations, accounts, users and QOS.
#include "berth/control/commands/commands.h"
#include "berth/control/requests/limits.h"
#include "berth/engine/admission/accounting_admission.h"
#include "berth/engine/admission/reservation_admission.h"

namespace berth {

Answer edit_reservation(TurnBuilder& builder, const Principal& principal,
                        const EditReservation& command) {
    if (auto no = forbidden(principal, Verb::edit_reservation)) return *no;
    if (auto refusing = too_large(command.change)) return refused(*std::move(refusing));
    auto admitted = command.is_new ? admit_reservation(builder.engine(), builder.now(),
                                                       command.name, command.change)
                                   : admit_reservation_change(builder.engine(), builder.now(),
                                                              command.name, command.change);
    if (auto* refusing = std::get_if<Refusing>(&admitted)) return refused(std::move(*refusing));
    std::string name = std::get<Reservation>(admitted).name;
    builder.record(ReservationSet{std::get<Reservation>(std::move(admitted))});
    return ReservationMade{std::move(name)};
}

Answer delete_reservation(TurnBuilder& builder, const Principal& principal,
                          const DeleteReservation& command) {
    if (auto no = forbidden(principal, Verb::edit_reservation)) return *no;
    if (auto refusing = object_to_deletion(builder.engine(), command.name)) {
        return refused(*std::move(refusing));
    }
    builder.record(ReservationDeleted{command.name});
    return Done{};
}

Answer edit_accounting(TurnBuilder& builder, const Principal& principal, EditAccounting command) {
    const bool own = coordinates_all(builder.state().spec(), principal, command.edits);
    if (!allowed(principal.role, Verb::edit_accounting, own))
        return *forbidden(principal, Verb::edit_accounting);
    if (!command.edits.levels.empty() && principal.role != Role::admin) {
        return refused(Refusal::not_allowed, "Only administrators make others operators");
    }
    auto admitted = admit_edits(builder.state(), std::move(command.edits));
    if (auto* refusing = std::get_if<Refusing>(&admitted)) return refused(std::move(*refusing));
    builder.record(AccountingEdited{std::get<AccountingEdits>(std::move(admitted))});
    return Done{};
}

}  // namespace berth
