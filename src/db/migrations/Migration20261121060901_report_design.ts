import { Migration } from '@mikro-orm/migrations';

export class Migration20261121060901_report_design extends Migration {

  override name = 'Migration20261121060901_report_design';

  override up(): void | Promise<void> {
    this.addSql(`alter table "report" add "questions" text[] null, add "charts" jsonb not null default '{}', add "query" text not null default '';`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "report" drop column "questions", drop column "charts", drop column "query";`);
  }

}
