import { Migration } from '@mikro-orm/migrations';

/** Shared reports contain text answers only if the owner allows it. Existing reports still include incomplete responses. */
export class Migration20261122090000_report_sharing extends Migration {

  override name = 'Migration20261122090000_report_sharing';

  override up(): void | Promise<void> {
    this.addSql(`alter table "report" add "share_text_answers" boolean not null default false;`);
    this.addSql(`update "report" set "query" = concat_ws('&', nullif("query", ''), '_completed>=0') where "query" !~ '(^|&)_completed';`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "report" drop column "share_text_answers";`);
  }

}
