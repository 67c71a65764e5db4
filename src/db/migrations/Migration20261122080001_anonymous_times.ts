import { Migration } from '@mikro-orm/migrations'

/** The collectors whose responses are anonymous. */
const ANONYMOUS = `select c.id from collector c join survey s on s.id = c.survey_id
  where coalesce((c.settings->>'anonymous')::boolean, (s.settings->>'anonymous')::boolean, false)`

/**
 * Truncates the times of anonymous responses to the hour and removes all other data that identify respondents. One statement
 * per table changes only the rows of anonymous surveys; docs/adr/0075 states the duration.
 */
export class Migration20261122080001_anonymous_times extends Migration {
  override name = 'Migration20261122080001_anonymous_times'

  override up(): void {
    this.addSql(`create table used_invite (
      hash bytea primary key,
      survey_id bigint not null references survey (id) on delete cascade,
      sealed text not null
    );`)
    this.addSql(
      `comment on table used_invite is 'Invitations that brought an anonymous response, until a job marks them all together: hash and number are unreadable without the key of the installation.';`,
    )
    this.addSql(`update invite set viewed_at = null, used_on = coalesce(used_on, (
        select max(r.updated_at)::date from response r where r.survey_id = invite.survey_id and r.invite_code = invite.code))
      where collector_id in (${ANONYMOUS});`)
    this.addSql(`update response set username = '', ip_address = '', get_variables = null, referrer = null,
        invite_code = null, invite_email = null, invite_name = null, completion_time = null,
        created_at = date_trunc('hour', created_at, 'UTC'), updated_at = date_trunc('hour', updated_at, 'UTC')
      where collector_id in (${ANONYMOUS});`)
    this.addSql(`update response_change set at = date_trunc('hour', at, 'UTC')
      where survey_id in (select survey_id from collector where id in (${ANONYMOUS}));`)
    this.addSql(
      `delete from response_summary where survey_id in (select survey_id from collector where id in (${ANONYMOUS}));`,
    )
    this.addSql(`delete from webhook_delivery using webhook w join survey s on s.owner_id = w.account_id
        join account a on a.id = s.owner_id
      where w.id = webhook_delivery.webhook_id and webhook_delivery.event = 'response_complete'
        and facts is null and next_attempt_at is null
        and s.id in (select survey_id from collector where id in (${ANONYMOUS}))
        and strpos(body || '&', '%2Fsurveys%2F' || a.username || '%2F' || s.slug || '%2F&') > 0;`)
  }

  override down(): void {
    this.addSql('drop table used_invite;')
  }
}
