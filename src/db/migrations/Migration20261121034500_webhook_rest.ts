import { Migration } from '@mikro-orm/migrations'

/**
 * A subscriber can request a pause, and a redelivery starts a new series of attempts. Deliveries have no foreign key to the
 * webhook, because deleting a webhook must not make a concurrent response fail.
 */
export class Migration20261121034500_webhook_rest extends Migration {
  override name = 'Migration20261121034500_webhook_rest'

  override up(): void {
    this.addSql(`alter table webhook add column resting_until timestamptz null;`)
    this.addSql(`alter table webhook_delivery drop constraint webhook_delivery_webhook_id_fkey;`)
    this.addSql(`alter table webhook_delivery add column tries integer not null default 0;`)
    this.addSql(`comment on column webhook_delivery.tries is 'Attempts since it was recorded, or since its redelivery was asked for.';`)
  }

  override down(): void {
    this.addSql(`alter table webhook drop column resting_until;`)
    this.addSql(`alter table webhook_delivery drop column tries;`)
  }
}
