import {
  type AccountOrder,
  type AccountState,
  type AccountSummary,
  inviteAccount,
  listAccounts,
  MAX_COUNTED_ACCOUNTS,
  MAX_COUNTED_SURVEYS,
  type SentLink,
} from '../../../domain/administration/accounts.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { pageOf } from '../../../lib/paging.ts'
import { csrfField } from '../../csrf.ts'
import { alert, copyButton, type FormErrors, field, select } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { formPage } from '../../forms/form-page.ts'
import { perLanguage, t } from '../../i18n/t.ts'
import { dateTag, formatNumber, pluralize } from '../../layout/format.ts'
import { backLink, icon, pager, pathWith } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import type { SignedInRequest } from '../../session.ts'
import { ADMINISTRATION_PATH } from './frame.ts'

export const USERS_PATH = `${ADMINISTRATION_PATH}users/`
const PAGE_SIZE = 50

const STATE_LABELS: () => Readonly<Record<AccountState, string>> = perLanguage(() => ({
  enabled: t('Enabled'),
  disabled: t('Disabled'),
  administrator: t('Administrators'),
  developer: t('Developers'),
}))

const ORDER_LABELS: () => Readonly<Record<AccountOrder, string>> = perLanguage(() => ({
  newest: t('Newest first'),
  oldest: t('Oldest first'),
  username: t('Username'),
  email: t('Email address'),
}))

const readKey = <Key extends string>(labels: Readonly<Record<Key, string>>, text: string | null): Key | undefined =>
  text !== null && Object.hasOwn(labels, text) ? (text as Key) : undefined

/** Lists the accounts, with a search. */
export async function showUsers({ context, query, render }: SignedInRequest): Promise<PageResult> {
  const text = (query.get('search') ?? '').trim()
  const state = readKey(STATE_LABELS(), query.get('state'))
  const order = readKey(ORDER_LABELS(), query.get('order')) ?? 'newest'
  const number = Number(query.get('page')) || 1
  const slice = pageOf({ page: number, first: 1, default: PAGE_SIZE, max: PAGE_SIZE })
  const { total, accounts } = await listAccounts(context, { text, state, order }, slice)
  const isCounted = total <= MAX_COUNTED_ACCOUNTS
  return render({
    title: t('Users'),
    action: html`<a class="button primary" href="${USERS_PATH}new/">${icon('plus')}New user</a>`,
    content: html`
      <form method="get" action="${USERS_PATH}" class="search users-search" role="search">
        <input class="box" type="search" name="search" value="${text}" aria-label="${t('Search users')}"
            placeholder="${t('Username, name or email address')}">
        ${choice('state', t('Which users'), state ?? '', { '': t('Everyone'), ...STATE_LABELS() })}
        ${choice('order', t('Order'), order, ORDER_LABELS())}
        <button>Search</button>
      </form>
      <p class="soft" role="status">
        ${
          isCounted
            ? pluralize(total, 'user')
            : t('More than {number} users. Search to find others.', { number: formatNumber(MAX_COUNTED_ACCOUNTS) })
        }
      </p>
      ${accounts.length > 0 && tableView(accounts)}
      ${pager({
        number: slice.number,
        total: Math.min(total, MAX_COUNTED_ACCOUNTS),
        size: PAGE_SIZE,
        path: (page) => pathWith(USERS_PATH, { search: text, state, order, page }),
      })}`,
  })
}

const choice = (name: string, label: string, value: string, options: Readonly<Record<string, string>>): Html =>
  html`<select class="box" name="${name}" aria-label="${label}">
    ${Object.entries(options).map(
      ([key, text]) => html`<option value="${key}"${key === value && html` selected`}>${text}</option>`,
    )}
  </select>`

const tableView = (accounts: readonly AccountSummary[]): Html =>
  html`<div class="scroll">
    <table class="ledger">
      <thead>
        <tr>
          <th scope="col">User</th>
          <th scope="col">Surveys</th>
          <th scope="col" class="wide">Last seen</th>
          <th scope="col" class="wide">Created</th>
          <th scope="col" class="wide">Plan</th>
        </tr>
      </thead>
      <tbody>
        ${accounts.map(
          (account) =>
            html`<tr>
              <th scope="row">
                <a href="${USERS_PATH}${account.id}/">${account.name || account.username}</a> ${accountTags(account)}
                <p class="soft">${account.email}</p>
              </th>
              <td>${surveysOf(account)}</td>
              <td class="wide">${account.seenAt ? dateTag(account.seenAt) : t('not signed in')}</td>
              <td class="wide">${dateTag(account.createdAt)}</td>
              <td class="wide">${account.plan}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`

/** Returns how many surveys an account owns. */
export const surveysOf = ({ surveys }: AccountSummary): string =>
  surveys > MAX_COUNTED_SURVEYS
    ? t('more than {number}', { number: formatNumber(MAX_COUNTED_SURVEYS) })
    : formatNumber(surveys)

/** Renders what is special about an account. */
export const accountTags = ({
  disabledAt,
  isAdministrator,
  isDeveloper,
  hasSecondFactor,
}: AccountSummary): Part => html`
  ${disabledAt && html`<span class="tag bad">Disabled</span> `}
  ${isAdministrator && html`<span class="tag good">Administrator</span> `}
  ${isDeveloper && html`<span class="tag">Developer</span> `}
  ${hasSecondFactor && html`<span class="tag">Second factor</span>`}`

export const showNewUser = (request: SignedInRequest): Promise<PageResult> => newUserPage(request)

async function newUserPage(request: SignedInRequest, rejected?: FormErrors): Promise<PageResult> {
  const { csrf, form, context } = request
  const value = (name: string) => (rejected ? (formValue(form, name) ?? '') : '')
  return request.render({
    title: t('New user'),
    beforeHeading: backLink(USERS_PATH, t('Users')),
    content: html`<section class="card">
      <p class="soft">
        ${
          context.services.hasMailServer
            ? t('The person gets an email with a link, and chooses a password.')
            : t('You get a link for the person, who chooses a password with it. This server cannot send email.')
        }
      </p>
      ${alert(rejected?.general)}
      <form method="post" action="${USERS_PATH}new/">
        ${csrfField(csrf)}
        ${field({
          name: 'email',
          label: t('Email address'),
          type: 'email',
          value: value('email'),
          required: true,
          errors: rejected?.errors,
        })}
        ${field({ name: 'name', label: t('Name'), value: value('name'), errors: rejected?.errors })}
        ${field({
          name: 'username',
          label: t('Username'),
          hint: t('It is part of the addresses of surveys. If you leave it blank, it comes from the email address.'),
          value: value('username'),
          errors: rejected?.errors,
        })}
        ${select({
          name: 'kind',
          label: t('May do'),
          value: value('kind'),
          options: [
            { value: '', label: t('Create and run surveys') },
            { value: 'developer', label: t('The same, and create accounts and login links through the API') },
          ],
        })}
        <button class="primary">Create user</button>
      </form>
    </section>`,
  })
}

/** Creates an account. If the server cannot send email, the reply shows the link. */
export const submitNewUser = (request: SignedInRequest): Promise<PageResult> => {
  const value = (name: string) => (formValue(request.form, name) ?? '').trim()
  const draft = {
    email: value('email'),
    username: value('username'),
    name: value('name'),
    isDeveloper: value('kind') === 'developer',
  }
  return formPage(request, {
    fields: ['email', 'username', 'name'],
    act: (context) => inviteAccount(context, draft),
    view: (rejected) => newUserPage(request, rejected),
    done: (link) =>
      link.url === undefined
        ? {
            redirect: `${USERS_PATH}${link.accountId}/`,
            flash: t('User created. The link was sent to {email}.', { email: link.email }),
          }
        : linkPage(request, link, t('User created')),
  })
}

/** Shows a link that no email takes to the person. No later page can show it. */
export const linkPage = (request: SignedInRequest, { accountId, email, url }: SentLink, title: string): PageResult =>
  request.render({
    title,
    beforeHeading: backLink(USERS_PATH, t('Users')),
    scripts: ['copy.js'],
    content: html`<section class="card">
      <p>
        No mail server is set up, so no email was sent. Give this link to ${email} yourself. It can be used once, and
        you cannot see it again later.
      </p>
      <p class="copyable">
        <code class="secret" id="link">${url}</code> ${copyButton('link', t('Copy the link'))}
      </p>
      <p class="below"><a class="button" href="${USERS_PATH}${accountId}/">Continue</a></p>
    </section>`,
  })
