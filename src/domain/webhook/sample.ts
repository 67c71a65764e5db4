import type { Context } from '../context.ts'
import { type DomainEvent, eventFields } from '../event.ts'
import { type BodyFormat, encodeBody } from '../webhook-form.ts'
import { responseFields } from './response-fields.ts'
import type { EventType } from './webhook.ts'

const survey = { id: 0, name: 'Sample survey', slug: 'sample-survey' }

/** Returns the body of a sample event: with every field of a real event, the name of the actor and sample values. */
export function sampleBody({ actor, now, services }: Context, type: EventType, format: BodyFormat): string {
  const { username } = actor
  const time = now.toISOString()
  if (type === 'response_complete')
    return encodeBody(
      format,
      responseFields(
        services.baseUrl,
        {
          id: 0,
          key: '0'.repeat(40),
          score: 1,
          language: 'en',
          referrer: '',
          invite_email: null,
          invite_name: null,
          created_at: time,
          updated_at: time,
          answers: { question: 'Sample answer' },
          survey_id: survey.id,
          survey_name: survey.name,
          slug: survey.slug,
          username,
          version: 0,
        },
        undefined,
      ),
    )
  const events: Record<Exclude<EventType, 'response_complete'>, DomainEvent> = {
    survey_create: { type: 'survey_create', survey: { ...survey, username } },
    report_create: {
      type: 'report_create',
      survey: { ...survey, username, ownerId: actor.id },
      reportId: 0,
    },
    contact_create: { type: 'contact_create', name: 'Sample Contact', email: 'sample@example.org' },
  }
  return encodeBody(format, eventFields({ actor, services }, events[type]))
}
