import { choosePassword, requestPassword } from '../../domain/account/forgotten.ts'
import { linkWorks } from '../../domain/account/link.ts'
import { Problem } from '../../domain/problem.ts'
import { type Html, html } from '../../lib/html.ts'
import { type Faults, faultsOf, field } from '../field.ts'
import { isSameOrigin } from '../same-origin.ts'
import { doorPage } from '../shell.ts'
import { guard } from '../signed-in.ts'
import { one, pairsOf } from '../taking/input.ts'
import type { Answer, Visit } from '../visit.ts'

const HERE = '/accounts/password/'

/** Asks whose password is forgotten. */
export async function showForgotten(visit: Visit): Promise<Answer> {
  guard(visit)
  return {
    page: doorPage(
      'Forgotten password',
      html`<p class="soft">We mail you a link to choose a new one.</p><form method="post" action="${HERE}">
${field({ name: 'username', label: 'User name or e-mail', autocomplete: 'username', required: true })}
<div class="actions"><button class="primary">Mail me a link</button></div></form>`,
    ),
  }
}

/** The same answer whether there is such an account or not. */
export async function sendForgotten(visit: Visit): Promise<Answer> {
  guard(visit)
  const { ctx, context } = visit
  if (!isSameOrigin(ctx, context.site)) return { redirect: HERE }
  const name = (one(pairsOf(visit.body), 'username') ?? '').trim()
  await context.em.transactional((em) => requestPassword({ ...context, em }, name))
  return {
    page: doorPage(
      'Look into your mail',
      html`<p>If there is such an account, a link is on its way to its e-mail address. It works once, within one hour.</p>`,
    ),
  }
}

const choiceView = (key: string, faults?: Faults): Html =>
  doorPage(
    'Choose a new password',
    html`<form method="post" action="${HERE}new/"><input type="hidden" name="key" value="${key}">
${field({ name: 'password', label: 'New password', type: 'password', hint: 'At least 8 characters.', autocomplete: 'new-password', required: true, ...(faults && { faults }) })}
<div class="actions"><button class="primary">Save password</button></div></form>`,
  )

const usedUp = (): Answer => ({
  status: 410,
  page: doorPage(
    'This link is used up',
    html`<p>It works once, within one hour.</p><p><a class="button" href="${HERE}">Ask for another</a></p>`,
  ),
})

/** Where the link in the mail leads; looking at it does not use it up. */
export async function showChoice(visit: Visit): Promise<Answer> {
  guard(visit)
  const key = visit.query.get('key') ?? ''
  return (await linkWorks(visit.context, 'password', key)) ? { page: choiceView(key) } : usedUp()
}

export async function sendChoice(visit: Visit): Promise<Answer> {
  guard(visit)
  const { ctx, context } = visit
  const form = pairsOf(visit.body)
  const key = one(form, 'key') ?? ''
  if (!isSameOrigin(ctx, context.site)) return usedUp()
  try {
    await context.em.transactional((em) => choosePassword({ ...context, em }, key, one(form, 'password') ?? ''))
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return error.code === 'link_used'
      ? usedUp()
      : { status: 422, page: choiceView(key, faultsOf(error, ['password']).faults) }
  }
  context.site.forgetCredentials()
  return {
    page: doorPage(
      'Your password is changed',
      html`<p>Everywhere you were signed in, you are signed out.</p><p><a class="button" href="/accounts/login/">Sign in</a></p>`,
    ),
  }
}
