import { Migration } from '@mikro-orm/migrations'

/**
 * Returns the statement that creates the function which enqueues webhook events.
 * @param traced whether deliveries get the span of the request
 */
const functionOf = (traced: boolean): string =>
  `create or replace function enqueue_completion_events(of_survey bigint, response_ids bigint[]) returns void
    language plpgsql as $body$${
      traced
        ? `
    declare
      -- By response key: the statement that stores the responses sets it, if requests are traced.
      traceparents jsonb := nullif(current_setting('canvass.traceparents', true), '')::jsonb;`
        : ''
    }
    begin
      if not exists (
        select from survey join webhook on webhook.account_id = survey.owner_id
        where survey.id = of_survey and webhook.event = 'response_complete' and webhook.disabled_at is null
          and (webhook.survey_id is null or webhook.survey_id = of_survey)) then
        return;
      end if;
      insert into webhook_delivery (webhook_id, event, facts, next_attempt_at, created_at${traced ? ', traceparent' : ''})
      select webhook.id, webhook.event, jsonb_build_object(
        'id', response.id, 'key', encode(response.key, 'hex'), 'score', response.weighted_score,
        'language', response.language, 'referrer', response.referrer, 'invite_email', response.invite_email,
        'invite_name', response.invite_name, 'created_at', response.created_at, 'updated_at', response.updated_at,
        'answers', response.answers, 'survey_id', survey.id, 'survey_name', survey.name, 'slug', survey.slug,
        'username', account.username, 'version', survey.version), response.updated_at, response.updated_at${
          traced ? `, traceparents->>encode(response.key, 'hex')` : ''
        }
      from response
      join survey on survey.id = response.survey_id
      join account on account.id = survey.owner_id
      join webhook on webhook.account_id = survey.owner_id and webhook.event = 'response_complete'
        and webhook.disabled_at is null and (webhook.survey_id is null or webhook.survey_id = response.survey_id)
        and (webhook.collector_id is null or webhook.collector_id = response.collector_id)
      where response.survey_id = of_survey and response.id = any(response_ids)
      order by response.id;
    end $body$;`

/** Adds the span of the request that caused a webhook message, so that the message continues its trace. */
export class Migration20261122210000_traceparent extends Migration {
  override name = 'Migration20261122210000_traceparent'

  override up(): void {
    this.addSql('alter table webhook_delivery add column traceparent text;')
    this.addSql(functionOf(true))
  }

  override down(): void {
    this.addSql(functionOf(false))
    this.addSql('alter table webhook_delivery drop column traceparent;')
  }
}
