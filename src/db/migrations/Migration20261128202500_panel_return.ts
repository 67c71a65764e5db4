import { Migration } from '@mikro-orm/migrations'

/** Adds the addresses to which the respondents of a panel return. */
export class Migration20261128202500_panel_return extends Migration {
  override name = 'Migration20261128202500_panel_return'

  override up(): void {
    this.addSql('alter table "collector" add column "panel_return" jsonb null;')
    this.addSql(
      `comment on column collector.panel_return is 'Where respondents of a panel return: addresses, name of the parameter with their ID, and the sealed secret that signs the addresses. Null: no panel.';`,
    )
  }

  override down(): void {
    this.addSql('alter table "collector" drop column "panel_return";')
  }
}
