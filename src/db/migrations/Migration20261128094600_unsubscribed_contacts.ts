import { Migration } from '@mikro-orm/migrations'

/** Marks contacts that get no mail because another contact with the same address has unsubscribed. */
export class Migration20261128094600_unsubscribed_contacts extends Migration {
  override name = 'Migration20261128094600_unsubscribed_contacts'
  readonly accepts = { 'change rows': 'changes the few contacts with an address that occurs under several names' }

  override up(): void {
    this.addSql(`update contact set unsubscribed = true
      from (select distinct owner_id, lower(email) as address from contact where unsubscribed) as gone
      where contact.owner_id = gone.owner_id and lower(contact.email) = gone.address and not contact.unsubscribed;`)
  }

  override down(): void {
    // The previous version sends no mail to these contacts either.
  }
}
