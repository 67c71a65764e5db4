import { toActor } from '../../../domain/account/account.ts'
import { availableUsername, createAccount } from '../../../domain/account/commands.ts'
import { acceptAnyInvitation } from '../../../domain/account-data/hand-over.ts'
import type { PublicContext } from '../../../domain/context.ts'
import {
  declineInvitation,
  findInvitation,
  INVITATION_DAYS,
  type ReceivedInvitation,
} from '../../../domain/group/colleague-invitations.ts'
import { Problem } from '../../../domain/problem.ts'
import { type Html, html } from '../../../lib/html.ts'
import { denyFraming } from '../../csp.ts'
import { isSameOrigin } from '../../csrf.ts'
import { alert, type FormErrors, field, fieldErrorsOf } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { t } from '../../i18n/t.ts'
import { authPage } from '../../layout/document.ts'
import { pluralize } from '../../layout/format.ts'
import type { PageRequest, PageResult } from '../../page.ts'
import { readSession } from '../../session.ts'
import { GROUPS_PATH } from '../groups.ts'
import { startSession } from '../sign-in/start-session.ts'
import { surveyRoot } from '../surveys/survey-page.ts'
import { ROLE_LABELS, shownRoles } from './views.ts'

const HERE = '/accounts/invitations/'

/** Shows an invitation to work on a survey. Opening the link does not use it up. */
export async function showInvitation(request: PageRequest): Promise<PageResult> {
  denyFraming(request.ctx)
  return invitationPage(request, request.query.get('key') ?? '')
}

async function invitationPage(request: PageRequest, key: string, rejected?: FormErrors): Promise<PageResult> {
  const invitation = await findInvitation(request.context, key)
  if (invitation?.state !== 'pending') return closedPage(invitation)
  const user = (await readSession(request))?.session.actor
  if (user?.id === invitation.ownerId)
    return {
      page: authPage(
        invitedTo(invitation),
        html`
          <p>
            You made this invitation for ${invitation.email}. Give the link to this person; you already have access.
          </p>
          <p class="below"><a class="button" href="${placeOf(invitation)}">Continue</a></p>`,
      ),
    }
  const content = user
    ? signedInView(invitation, key, user.email)
    : invitation.hasAccount || !request.context.services.invitesNewAccounts
      ? signInView(invitation, key)
      : newAccountView(invitation, key, rejected)
  return {
    status: rejected ? 422 : 200,
    page: authPage(
      invitedTo(invitation),
      html`
        ${alert(rejected?.general)}
        ${
          invitation.handOver
            ? offerView(invitation.inviter, invitation.handOver)
            : html`<p>
                ${t('{inviter} invites you. You will have these permissions:', { inviter: invitation.inviter })}
              </p>
              <ul>${shownRoles(invitation.roles).map((role) => html`<li>${ROLE_LABELS()[role]}</li>`)}</ul>`
        }
        ${content}
        <form method="post" action="${HERE}decline/" class="below">
          <input type="hidden" name="key" value="${key}">
          <button class="plain">Decline</button>
        </form>`,
    ),
  }
}

const offerView = (inviter: string, surveys: readonly { name: string }[]): Html =>
  html`
    <p>
      ${t('{inviter} wants to hand over to you. You will own these surveys with all responses:', { inviter })}
    </p>
    <ul>${surveys.map(({ name }) => html`<li>${name}</li>`)}</ul>`

const nameOf = ({ survey, group }: ReceivedInvitation): string => survey?.name ?? group
const invitedTo = (invitation: ReceivedInvitation): string =>
  invitation.handOver
    ? t('Take over {surveys}', { surveys: pluralize(invitation.handOver.length, 'survey') })
    : t('Work on “{name}”', { name: nameOf(invitation) })
function placeOf({ survey, groupId, handOver }: ReceivedInvitation): string {
  if (handOver) return handOver.length === 1 ? surveyRoot(handOver[0]!.id) : '/account/surveys/'
  return survey ? surveyRoot(survey.id) : `${GROUPS_PATH}${groupId}/`
}
const returnTo = (key: string): string => encodeURIComponent(`${HERE}?key=${encodeURIComponent(key)}`)

/** Renders the button of a user who is signed in. Says so if the invitation went to another address. */
const signedInView = ({ email }: ReceivedInvitation, key: string, ownEmail: string): Html =>
  html`
    ${
      email.toLowerCase() !== ownEmail.toLowerCase() &&
      html`<p class="alert">
        The invitation was sent to ${email}, and you are signed in as ${ownEmail}. If you accept, the account of
        ${ownEmail} gets access.
      </p>`
    }
    <form method="post" action="${HERE}">
      <input type="hidden" name="key" value="${key}">
      <button class="primary">Accept as ${ownEmail}</button>
    </form>`

const signInView = ({ hasAccount, email }: ReceivedInvitation, key: string): Html =>
  html`
    <p class="below">
      ${
        hasAccount
          ? t('You have an account on this server. Sign in to accept.')
          : t(
              'No account uses the address {email}. Ask your administrator for an account, or sign in with another one.',
              {
                email,
              },
            )
      }
    </p>
    <p><a class="button primary" href="/accounts/login/?next=${returnTo(key)}">Sign in</a></p>`

const newAccountView = ({ email }: ReceivedInvitation, key: string, rejected: FormErrors | undefined): Html =>
  html`
    <form method="post" action="${HERE}new/">
      <input type="hidden" name="key" value="${key}">
      <p class="below">Your account will use the address <strong>${email}</strong>.</p>
      ${field({
        name: 'password',
        label: t('Choose a password'),
        type: 'password',
        hint: t('At least 8 characters.'),
        autocomplete: 'new-password',
        required: true,
        errors: rejected?.errors,
      })}
      <button class="primary">Create account and accept</button>
    </form>
    <p class="below"><a href="/accounts/login/?next=${returnTo(key)}">I have an account with another address</a></p>`

/** Returns the page of a link that cannot be used. Says why. */
function closedPage(invitation: ReceivedInvitation | undefined): PageResult {
  const [title, text] = closedTexts(invitation)
  return {
    status: 410,
    page: authPage(
      title,
      html`<p>${text}</p><p class="below"><a class="button" href="/account/surveys/">Go to your surveys</a></p>`,
    ),
  }
}

function closedTexts(invitation: ReceivedInvitation | undefined): [title: string, text: string] {
  const inviter = invitation?.inviter ?? ''
  switch (invitation?.state) {
    case 'accepted':
      return [t('Invitation already accepted'), t('This link has been used. Sign in to work on the survey.')]
    case 'declined':
      return [
        t('Invitation declined'),
        t('This invitation was declined. If you want to accept, ask {inviter} for a new one.', { inviter }),
      ]
    case 'withdrawn':
      return [t('Invitation withdrawn'), t('{inviter} has withdrawn this invitation.', { inviter })]
    case 'expired':
      return [
        t('Invitation expired'),
        t('An invitation expires after {days} days. Ask {inviter} to send it again.', {
          days: INVITATION_DAYS,
          inviter,
        }),
      ]
    default:
      return [
        t('This link is no longer valid'),
        t('There is no such invitation. If you were invited again, use the link in the latest message.'),
      ]
  }
}

/** Reads the key of the form. Undefined for a form of another site. */
async function readKey(request: PageRequest): Promise<{ key: string; password: string } | undefined> {
  denyFraming(request.ctx)
  const form = await request.form()
  if (!isSameOrigin(request.ctx, request.context.services)) return undefined
  return { key: formValue(form, 'key') ?? '', password: formValue(form, 'password') ?? '' }
}

/** Accepts an invitation as the user who is signed in. */
export async function submitInvitation(request: PageRequest): Promise<PageResult> {
  const fields = await readKey(request)
  if (!fields) return closedPage(undefined)
  const session = (await readSession(request))?.session
  if (!session) return { redirect: `/accounts/login/?next=${returnTo(fields.key)}` }
  const { context } = request
  try {
    const invitation = await context.em.transactional((em) =>
      acceptAnyInvitation({ ...context, em, actor: session.actor }, fields.key),
    )
    return { redirect: placeOf(invitation) }
  } catch (error) {
    return rejected(request, fields.key, error)
  }
}

/** Creates an account for the address of an invitation, accepts the invitation, and signs in. */
export async function submitInvitedAccount(request: PageRequest): Promise<PageResult> {
  const fields = await readKey(request)
  if (!fields) return closedPage(undefined)
  const { key, password } = fields
  const invitation = await findInvitation(request.context, key)
  if (invitation?.state !== 'pending') return closedPage(invitation)
  if (!request.context.services.invitesNewAccounts) return invitationPage(request, key)
  try {
    return await startSession(
      request,
      'link',
      (transaction) => createInvitedAccount(transaction, invitation.email, key, password),
      placeOf(invitation),
    )
  } catch (error) {
    return rejected(request, key, error)
  }
}

async function createInvitedAccount(context: PublicContext, email: string, key: string, password: string) {
  const username = await availableUsername(context, email)
  const account = await createAccount(context, { username, email, password })
  await acceptAnyInvitation({ ...context, actor: toActor(account) }, key)
  return account.id
}

/** Shows the page again after an error: the invitation may have been used or withdrawn in the meantime. */
async function rejected(request: PageRequest, key: string, error: unknown): Promise<PageResult> {
  const problem = error instanceof Problem ? error : request.deps.translate(error)
  if (!problem || problem.code === 'unavailable') throw error
  if (problem.code === 'forbidden') return invitationPage(request, key)
  if (problem.code === 'link_expired') return closedPage(await findInvitation(request.context, key))
  return invitationPage(request, key, fieldErrorsOf(problem, ['password']))
}

/** Declines an invitation. */
export async function submitDeclined(request: PageRequest): Promise<PageResult> {
  const fields = await readKey(request)
  if (!fields) return closedPage(undefined)
  const { context } = request
  try {
    await context.em.transactional((em) => declineInvitation({ ...context, em }, fields.key))
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return closedPage(await findInvitation(context, fields.key))
  }
  return {
    page: authPage(t('Invitation declined'), html`<p>You will not get access. You can close this page.</p>`),
  }
}
