import { Migration } from '@mikro-orm/migrations'

/** Adds offers to hand surveys over, and the earlier addresses of surveys that were handed over. */
export class Migration20261128200900_hand_over extends Migration {
  override name = 'Migration20261128200900_hand_over'

  override up(): void {
    this.addSql('alter table colleague_invitation alter column group_id drop not null;')
    this.addSql('alter table colleague_invitation add column surveys bigint[];')
    this.addSql(
      `comment on column colleague_invitation.surveys is 'Offers to hand over these surveys; the roles are those that the inviter keeps. Null: an invitation to a group.';`,
    )
    this.addSql(`create table survey_address (
      username text not null,
      slug text not null,
      survey_id bigint not null references survey on delete cascade,
      primary key (username, slug));`)
    this.addSql('create index survey_address_survey_id_index on survey_address (survey_id);')
    this.addSql(
      `comment on table survey_address is 'Addresses of surveys before they were handed over. They still lead to the survey. username is in lower case.';`,
    )
  }

  override down(): void {
    this.addSql('drop table survey_address;')
    this.addSql('delete from colleague_invitation where group_id is null;')
    this.addSql('alter table colleague_invitation drop column surveys;')
    this.addSql('alter table colleague_invitation alter column group_id set not null;')
  }
}
