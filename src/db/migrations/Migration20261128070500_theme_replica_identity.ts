import { Migration } from '@mikro-orm/migrations'

/** Lets logical replication identify the rows of the only table without a primary key. */
export class Migration20261128070500_theme_replica_identity extends Migration {
  override name = 'Migration20261128070500_theme_replica_identity'

  override up(): void {
    this.addSql('alter table theme replica identity full;')
  }

  override down(): void {
    this.addSql('alter table theme replica identity default;')
  }
}
