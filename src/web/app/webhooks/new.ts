import { listCollectors } from '../../../domain/collector/queries.ts'
import { subscribe } from '../../../domain/webhook/commands.ts'
import { eventTypes } from '../../../domain/webhook/webhook.ts'
import { html } from '../../../lib/html.ts'
import { alert, type FieldErrorTexts, faultsOf, field } from '../../forms/field.ts'
import { select } from '../../forms/select.ts'
import { csrfField } from '../../layout/app-shell.ts'
import { backTo } from '../../layout/back-link.ts'
import type { PageResult } from '../../page.ts'
import { one } from '../../respondent/input.ts'
import { idIn, type SignedInRequest } from '../../session.ts'
import { events, ofOneSurvey, type WebhookScope } from './scope.ts'
import { secretPage } from './secret.ts'

export const showSubscribe = (request: SignedInRequest, place: WebhookScope): Promise<PageResult> =>
  subscribePage(request, place)

async function subscribePage(
  request: SignedInRequest,
  { path, survey }: WebhookScope,
  refused?: { faults: FieldErrorTexts; general: string | undefined },
): Promise<PageResult> {
  const { context, csrf, form } = request
  const errors: FieldErrorTexts = refused?.faults ?? new Map()
  const typed = (name: string) => one(form, name) ?? ''
  const collectors = survey ? (await listCollectors(context, survey.id)).collectors : []
  return request.render(
    {
      title: 'Add webhook',
      above: backTo(path, 'All webhooks'),
      content: html`<section class="card" aria-label="Webhook">${alert(refused?.general)}<form method="post" action="${path}new/">${csrfField(csrf)}
${field({ name: 'subscription_url', label: 'URL', type: 'url', value: typed('subscription_url'), hint: 'Starts with https:// or http://. Use a different URL for each event.', required: true, faults: errors })}
${select({ name: 'event', label: 'Event', value: typed('event'), options: (survey ? ofOneSurvey : eventTypes).map((event) => ({ value: event, label: survey ? events[event] : `${events[event]} (${event})` })), faults: errors })}
${
  collectors.length > 1 &&
  select({
    name: 'collector',
    label: 'Collector',
    value: typed('collector'),
    hint: 'For completed responses only.',
    options: [{ value: '', label: 'Any' }, ...collectors.map(({ id, name }) => ({ value: id, label: name }))],
    faults: errors,
  })
}<div class="actions"><button class="primary">Add webhook</button><a class="button plain" href="${path}">Cancel</a></div></form></section>`,
    },
    refused ? 422 : 200,
  )
}

/** The secret is in the answer to the form itself: it is kept nowhere that a redirect could fetch it from. */
export async function subscribeTo(request: SignedInRequest, place: WebhookScope): Promise<PageResult> {
  const { form } = request
  const draft = {
    subscriptionUrl: (one(form, 'subscription_url') ?? '').trim(),
    event: one(form, 'event') ?? '',
    survey: place.survey?.id,
    collector: idIn(one(form, 'collector')) || undefined,
  }
  try {
    const { webhook, secret } = await request.write((context) => subscribe(context, draft))
    return secretPage(request, place, webhook, secret, 'Webhook added.')
  } catch (error) {
    const known = request.toProblem(error)
    return subscribePage(request, place, faultsOf(known, ['subscription_url', 'event', 'collector']))
  }
}
