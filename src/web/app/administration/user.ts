import { disableAccount, enableAccount, setAdministrator } from '../../../domain/account/administrator.ts'
import { verifyCurrentPassword } from '../../../domain/account/change-password.ts'
import { mayUsePassword } from '../../../domain/account/credentials.ts'
import { surveysOfOthers } from '../../../domain/account-data/hand-over.ts'
import {
  type AccountSummary,
  changePlan,
  describeAccount,
  eraseOtherAccount,
  handOverSurveys,
  resetSecondFactor,
  sendPasswordLink,
} from '../../../domain/administration/accounts.ts'
import type { Context } from '../../../domain/context.ts'
import { problems } from '../../../domain/problem.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { alert, type FormErrors, field, select } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { formPage } from '../../forms/form-page.ts'
import { perLanguage, t } from '../../i18n/t.ts'
import { pluralize, timeTag } from '../../layout/format.ts'
import { backLink } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import { parseId, type SignedInRequest } from '../../session.ts'
import { confirmationField, originOf } from '../sign-in/providers.ts'
import { accountTags, linkPage, surveysOf, USERS_PATH } from './users.ts'

/** What an administrator does with an account after a page has asked for confirmation. */
interface Action {
  /** Whether the account is in a state in which this can be done. */
  isPossible(account: AccountSummary, reader: number): boolean
  title(name: string): string
  /** States the consequences. */
  text: string
  button: string
  /** Whether the administrator enters the own password. */
  asksForPassword: boolean
  act(context: Context, id: number): Promise<unknown>
  done: string
}

const ACTIONS: () => Readonly<Record<string, Action>> = perLanguage(() => ({
  disable: {
    isPossible: ({ disabledAt, id }, reader) => disabledAt === null && id !== reader,
    title: (name) => t('Disable “{name}”?', { name }),
    text: t(
      'The person is signed out and cannot sign in. API keys and applications stop immediately. Live surveys keep collecting responses, and scheduled emails and webhooks continue. You can enable the account again.',
    ),
    button: t('Disable user'),
    asksForPassword: false,
    act: (context, id) => disableAccount(context, context.actor.id, id),
    done: t('User disabled.'),
  },
  enable: {
    isPossible: ({ disabledAt }) => disabledAt !== null,
    title: (name) => t('Enable “{name}”?', { name }),
    text: t('The person can sign in again. API keys and applications that were not revoked work again.'),
    button: t('Enable user'),
    asksForPassword: false,
    act: (context, id) => enableAccount(context, context.actor.id, id),
    done: t('User enabled.'),
  },
  grant: {
    isPossible: ({ isAdministrator, disabledAt }) => !isAdministrator && disabledAt === null,
    title: (name) => t('Make “{name}” an administrator?', { name }),
    text: t(
      'An administrator sees and changes everything on these pages: all accounts, the mail queue, jobs, backups and settings. Surveys and responses of others stay hidden.',
    ),
    button: t('Make administrator'),
    asksForPassword: true,
    act: (context, id) => setAdministrator(context, context.actor.id, id, true),
    done: t('The user is an administrator now.'),
  },
  revoke: {
    isPossible: ({ isAdministrator }) => isAdministrator,
    title: (name) => t('Remove “{name}” as an administrator?', { name }),
    text: t('The account and its surveys stay. The person no longer sees these pages.'),
    button: t('Remove administrator'),
    asksForPassword: true,
    act: (context, id) => setAdministrator(context, context.actor.id, id, false),
    done: t('The user is no longer an administrator.'),
  },
  'second-factor': {
    isPossible: ({ hasSecondFactor }) => hasSecondFactor,
    title: (name) => t('Remove the second factor of “{name}”?', { name }),
    text: t(
      'Do this if the person has lost the app, the passkeys and the recovery codes, and if you are sure who is asking. The password alone is then enough to sign in.',
    ),
    button: t('Remove second factor'),
    asksForPassword: true,
    act: resetSecondFactor,
    done: t('Second factor removed.'),
  },
  erase: {
    isPossible: ({ id }, reader) => id !== reader,
    title: (name) => t('Erase “{name}”?', { name }),
    text: t(
      'This deletes the account with its surveys and all responses, contacts, invitations, API keys, applications, webhooks and groups. Surveys that others shared with this user are not deleted. You cannot undo this.',
    ),
    button: t('Erase user'),
    asksForPassword: true,
    act: eraseOtherAccount,
    done: t('User erased.'),
  },
}))

const pathOf = ({ id }: AccountSummary): string => `${USERS_PATH}${id}/`
const nameOf = ({ name, username }: AccountSummary): string => name || username
const find = (request: SignedInRequest) => describeAccount(request.context, parseId(request.params.user))

/** Shows an account, and what an administrator can do with it. */
export const showUser = async (request: SignedInRequest): Promise<PageResult> => userPage(request, await find(request))

function userPage(request: SignedInRequest, account: AccountSummary, rejected?: FormErrors): PageResult {
  const { context, csrf } = request
  const { plans } = context.services.requestLimits
  const offered = (name: string) => ACTIONS()[name]!.isPossible(account, context.actor.id)
  const link = (name: string, label: string, kind = '') =>
    offered(name) && html`<a class="button plain ${kind}" href="${pathOf(account)}${name}/">${label}</a>`
  return request.render({
    title: nameOf(account),
    beforeHeading: backLink(USERS_PATH, t('Users')),
    content: html`
      <section class="card" aria-labelledby="account">
        <h2 id="account">Account</h2>
        <p>${accountTags(account)}</p>
        <dl class="facts">
          <dt>Username</dt>
          <dd>${account.username}</dd>
          <dt>Email address</dt>
          <dd>${account.email}</dd>
          <dt>Created</dt>
          <dd>${timeTag(account.createdAt)}</dd>
          <dt>Last seen</dt>
          <dd>${account.seenAt ? timeTag(account.seenAt) : t('not signed in')}</dd>
          ${account.disabledAt && html`<dt>Disabled</dt><dd>${timeTag(account.disabledAt)}</dd>`}
          <dt>Surveys</dt>
          <dd>${surveysOf(account)}</dd>
        </dl>
        <div class="actions">
          ${link('enable', t('Enable…'))}
          ${link('disable', t('Disable…'), 'danger')}
          ${
            account.surveys > 0 &&
            html`<a class="button plain" href="${pathOf(account)}hand-over/">Hand surveys over…</a>`
          }
          ${link('erase', t('Erase…'), 'danger')}
        </div>
      </section>
      <section class="card" aria-labelledby="sign-in">
        <h2 id="sign-in">Sign-in</h2>
        ${signInView(request, account)}
        <div class="actions">
          ${link('second-factor', t('Remove second factor…'))}
          ${link('grant', t('Make administrator…'))}
          ${link('revoke', t('Remove administrator…'))}
        </div>
      </section>
      <section class="card" aria-labelledby="plan-title">
        <h2 id="plan-title">Plan</h2>
        ${alert(rejected?.general)}
        <form method="post" action="${pathOf(account)}plan/">
          ${csrfField(csrf)}
          ${select({
            name: 'plan',
            label: t('Limit of API requests'),
            hint: t('The plans are those of the setting RATE_LIMITS.'),
            value: account.plan,
            options: [...new Set([...plans, account.plan])].map((plan) => ({ value: plan, label: plan })),
            errors: rejected?.errors,
          })}
          <button>Save plan</button>
        </form>
      </section>`,
  })
}

function signInView({ context, csrf }: SignedInRequest, account: AccountSummary): Part {
  if (account.disabledAt || !mayUsePassword(context.services, account)) return null
  const button = context.services.hasMailServer ? t('Send password link') : t('Make password link')
  return html`<form method="post" action="${pathOf(account)}password/">
    ${csrfField(csrf)}
    <p class="soft">
      ${
        context.services.hasMailServer
          ? t('Sends a link with which the person sets a new password. It expires after 1 hour.')
          : t('Makes a link with which the person sets a new password. It expires after 1 hour.')
      }
    </p>
    <p class="below"><button>${button}</button></p>
  </form>`
}

export async function savePlan(request: SignedInRequest): Promise<PageResult> {
  const account = await find(request)
  return formPage(request, {
    fields: ['plan'],
    act: (context) => changePlan(context, account.id, formValue(request.form, 'plan') ?? ''),
    view: (rejected) => userPage(request, account, rejected),
    done: () => ({ redirect: pathOf(account), flash: t('Plan saved.') }),
  })
}

/** Sends a link for a new password. If the server cannot send email, the reply shows the link. */
export async function makePasswordLink(request: SignedInRequest): Promise<PageResult> {
  const id = parseId(request.params.user)
  const link = await request.write((context) => sendPasswordLink(context, id))
  if (link.url !== undefined) return linkPage(request, link, t('Link for a new password'))
  request.flash(t('The link was sent to {email}.', { email: link.email }))
  return { redirect: `${USERS_PATH}${id}/` }
}

/** Asks for confirmation before an action. */
export const confirmUserAction = async (request: SignedInRequest): Promise<PageResult> =>
  actionPage(request, await find(request))

/** @throws {Problem} `user_not_found` for an unknown action, and for one that is not possible */
function actionOf({ context, params }: SignedInRequest, account: AccountSummary): Action {
  const actions = ACTIONS()
  const name = params.action ?? ''
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (!action?.isPossible(account, context.actor.id)) throw problems.userNotFound()
  return action
}

async function actionPage(
  request: SignedInRequest,
  account: AccountSummary,
  rejected?: FormErrors,
): Promise<PageResult> {
  const { context, csrf, params } = request
  const action = actionOf(request, account)
  const shared = params.action === 'erase' ? await surveysOfOthers(context, account) : []
  const path = `${pathOf(account)}${params.action}/`
  return request.render({
    title: action.title(nameOf(account)),
    beforeHeading: backLink(pathOf(account), nameOf(account)),
    content:
      shared.length > 0
        ? sharedView(account, shared)
        : html`<section class="card">
          <p>${action.text}</p>
          ${alert(rejected?.general)}
          <form method="post" action="${path}">
            ${csrfField(csrf)}
            ${
              action.asksForPassword &&
              (await confirmationField(request, path, {
                name: 'current',
                label: t('Your password'),
                required: true,
                errors: rejected?.errors,
              }))
            }
            <div class="actions">
              <button class="danger">${action.button}</button>
              <a class="button plain" href="${pathOf(account)}">Cancel</a>
            </div>
          </form>
        </section>`,
  })
}

/** Says which surveys stand in the way, because other people work on them. */
const sharedView = (account: AccountSummary, surveys: readonly { id: number; name: string }[]): Html =>
  html`<section class="card">
    <p>Other people work on surveys of this user. Hand them over first.</p>
    <ul>${surveys.map(({ name }) => html`<li>${name}</li>`)}</ul>
    <div class="actions">
      <a class="button primary" href="${pathOf(account)}hand-over/">Hand surveys over…</a>
      <a class="button plain" href="${pathOf(account)}">Cancel</a>
    </div>
  </section>`

export async function submitUserAction(request: SignedInRequest): Promise<PageResult> {
  const account = await find(request)
  const { asksForPassword, act, done } = actionOf(request, account)
  return formPage(request, {
    fields: ['current'],
    act: async (context) => {
      if (asksForPassword)
        await verifyCurrentPassword(context, formValue(request.form, 'current') ?? '', originOf(request))
      await act(context, account.id)
    },
    view: (rejected) => actionPage(request, account, rejected),
    done: () => ({ redirect: request.params.action === 'erase' ? USERS_PATH : pathOf(account), flash: done }),
  })
}

export const showUserHandOver = async (request: SignedInRequest): Promise<PageResult> =>
  handOverPage(request, await find(request))

function handOverPage(request: SignedInRequest, account: AccountSummary, rejected?: FormErrors): PageResult {
  return request.render({
    title: t('Hand over the surveys of “{name}”', { name: nameOf(account) }),
    beforeHeading: backLink(pathOf(account), nameOf(account)),
    content: html`<section class="card">
      <p>
        The other user becomes the owner immediately, of up to 200 surveys at a time, with all responses. Links, QR
        codes and invitations keep working, and everyone else keeps their access. This user has no access afterwards,
        and the webhooks of this user for these surveys are deleted.
      </p>
      ${alert(rejected?.general)}
      <form method="post" action="${pathOf(account)}hand-over/">
        ${csrfField(request.csrf)}
        ${field({
          name: 'email',
          label: t('Email address of the new owner'),
          type: 'email',
          value: rejected ? (formValue(request.form, 'email') ?? '') : '',
          required: true,
          errors: rejected?.errors,
        })}
        <div class="actions">
          <button class="primary">Hand over</button>
          <a class="button plain" href="${pathOf(account)}">Cancel</a>
        </div>
      </form>
    </section>`,
  })
}

export async function submitUserHandOver(request: SignedInRequest): Promise<PageResult> {
  const account = await find(request)
  const email = (formValue(request.form, 'email') ?? '').trim()
  return formPage(request, {
    fields: ['email'],
    act: (context) => handOverSurveys(context, account.id, email),
    view: (rejected) => handOverPage(request, account, rejected),
    done: (count) => ({
      redirect: pathOf(account),
      flash: t('{surveys} handed over to {email}.', { surveys: pluralize(count, 'survey'), email }),
    }),
  })
}
