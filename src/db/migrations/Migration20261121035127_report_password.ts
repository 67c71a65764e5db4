import { Migration } from '@mikro-orm/migrations';

export class Migration20261121035127_report_password extends Migration {

  override name = 'Migration20261121035127_report_password';

  override up(): void | Promise<void> {
    this.addSql(`alter table "survey" add "report_password_sealed" text null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "survey" drop column "report_password_sealed";`);
  }

}
