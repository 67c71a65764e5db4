import { Migration } from '@mikro-orm/migrations'

/** Adds which memberships of groups come from an OpenID provider. */
export class Migration20261129001500_provider_groups extends Migration {
  override name = 'Migration20261129001500_provider_groups'

  override up(): void {
    this.addSql('alter table group_member add provider text;')
    this.addSql(
      `comment on column group_member.provider is 'The OpenID provider whose groups made this membership, and change it at each sign-in. Null: a person made it.';`,
    )
  }

  override down(): void {
    this.addSql('alter table group_member drop provider;')
  }
}
