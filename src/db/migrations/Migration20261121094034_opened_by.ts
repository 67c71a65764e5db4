import { Migration } from '@mikro-orm/migrations';

export class Migration20261121094034_opened_by extends Migration {

  override name = 'Migration20261121094034_opened_by';

  override up(): void | Promise<void> {
    this.addSql(`alter table "account" add "opened_by" bigint null constraint account_opened_by_foreign references account on delete set null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "account" drop column "opened_by";`);
  }

}
