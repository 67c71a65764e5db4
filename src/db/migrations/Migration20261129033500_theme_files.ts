import { Migration } from '@mikro-orm/migrations'

const MEMBERS = ['cover', 'font_file']

/** Adds the cover pictures and the font files of themes. */
export class Migration20261129033500_theme_files extends Migration {
  override name = 'Migration20261129033500_theme_files'

  override isTransactional(): boolean {
    return false
  }

  override up(): void {
    for (const member of MEMBERS) {
      this.addSql(
        `alter table theme add column if not exists ${member}_digest text, add column if not exists ${member}_type text, add column if not exists ${member} bytea;`,
      )
      this.addSql(`drop index concurrently if exists theme_${member}_digest_idx;`)
      this.addSql(`create index concurrently theme_${member}_digest_idx on theme (${member}_digest);`)
    }
  }

  override down(): void {
    for (const member of MEMBERS)
      this.addSql(`alter table theme drop column ${member}_digest, drop column ${member}_type, drop column ${member};`)
  }
}
