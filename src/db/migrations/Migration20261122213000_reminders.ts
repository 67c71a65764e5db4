import { Migration } from '@mikro-orm/migrations'

/** Adds automatic reminders of invitations. */
export class Migration20261122213000_reminders extends Migration {
  override name = 'Migration20261122213000_reminders'

  override up(): void {
    this.addSql(`alter table email
      add column remind_after_days int,
      add column remind_times int not null default 0,
      add column reminders_sent int not null default 0,
      add column next_reminder_at timestamptz;`)
  }

  override down(): void {
    this.addSql(`alter table email drop column remind_after_days, drop column remind_times,
      drop column reminders_sent, drop column next_reminder_at;`)
  }
}
