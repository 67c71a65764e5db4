import { listCollectors } from '../../../domain/collector/queries.ts'
import { subscribe } from '../../../domain/webhook/commands.ts'
import { eventTypes } from '../../../domain/webhook/webhook.ts'
import { html } from '../../../lib/html.ts'
import { backTo } from '../../layout/back-link.ts'
import { alert, type Faults, faultsOf, field } from '../../forms/field.ts'
import { select } from '../../forms/select.ts'
import { csrfField } from '../../layout/app-shell.ts'
import { idIn, type SignedIn } from '../../session.ts'
import { one } from '../../respondent/input.ts'
import type { Answer } from '../../page.ts'
import { events, ofOneSurvey, type Place } from './scope.ts'
import { secretPage } from './secret.ts'

export const showSubscribe = (visit: SignedIn, place: Place): Promise<Answer> => subscribePage(visit, place)

async function subscribePage(
  visit: SignedIn,
  { path, survey }: Place,
  refused?: { faults: Faults; general: string | undefined },
): Promise<Answer> {
  const { context, csrf, form } = visit
  const faults: Faults = refused?.faults ?? new Map()
  const typed = (name: string) => one(form, name) ?? ''
  const collectors = survey ? (await listCollectors(context, survey.id)).collectors : []
  return visit.show(
    {
      title: 'Add a webhook',
      above: backTo(path, 'All webhooks'),
      content: html`<section class="card" aria-label="Webhook">${alert(refused?.general)}<form method="post" action="${path}new/">${csrfField(csrf)}
${field({ name: 'subscription_url', label: 'Address of your program', type: 'url', value: typed('subscription_url'), hint: 'Begins with https:// (or http://). Each address can be told of one kind of event.', required: true, faults })}
${select({ name: 'event', label: 'When', value: typed('event'), options: (survey ? ofOneSurvey : eventTypes).map((event) => ({ value: event, label: survey ? events[event] : `${events[event]} (${event})` })), faults })}
${
  collectors.length > 1 &&
  select({
    name: 'collector',
    label: 'Only by the collector',
    value: typed('collector'),
    hint: 'For complete responses.',
    options: [{ value: '', label: 'Any' }, ...collectors.map(({ id, name }) => ({ value: id, label: name }))],
    faults,
  })
}<div class="actions"><button class="primary">Add it</button><a class="button plain" href="${path}">Cancel</a></div></form></section>`,
    },
    refused ? 422 : 200,
  )
}

/** The secret is in the answer to the form itself: it is kept nowhere that a redirect could fetch it from. */
export async function subscribeTo(visit: SignedIn, place: Place): Promise<Answer> {
  const { form } = visit
  const draft = {
    subscriptionUrl: (one(form, 'subscription_url') ?? '').trim(),
    event: one(form, 'event') ?? '',
    survey: place.survey?.id,
    collector: idIn(one(form, 'collector')) || undefined,
  }
  try {
    const { webhook, secret } = await visit.write((context) => subscribe(context, draft))
    return secretPage(visit, place, webhook, secret, 'The webhook is on.')
  } catch (error) {
    const known = visit.known(error)
    return subscribePage(visit, place, faultsOf(known, ['subscription_url', 'event', 'collector']))
  }
}
