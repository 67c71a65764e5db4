import { Migration } from '@mikro-orm/migrations'

/** Adds whether a survey was created in the browser and has not been open yet. */
export class Migration20261122160000_unpublished extends Migration {
  override name = 'Migration20261122160000_unpublished'

  override up(): void {
    this.addSql('alter table survey add column unpublished boolean not null default false;')
  }

  override down(): void {
    this.addSql('alter table survey drop column unpublished;')
  }
}
