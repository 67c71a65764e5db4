import { Readable } from 'node:stream'
import { describeActivity, exportActivity, findPeopleInLog, momentsOf } from '../../../domain/account-data/activity.ts'
import { Problem } from '../../../domain/problem.ts'
import type { ActivitySearch, LogName } from '../../../domain/security/queries.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { momentOf } from '../../../lib/time-zone.ts'
import { field, select } from '../../forms/field.ts'
import { pageLocale } from '../../i18n/page-locale.ts'
import { t } from '../../i18n/t.ts'
import { backLink } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import type { SignedInRequest } from '../../session.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { ACCOUNT_KINDS, ADMINISTRATION_KINDS, entriesView, personName, SURVEY_KINDS } from './log-entries.ts'

const ACCOUNT_PATH = '/account/security/'
const PAGE_ENTRIES = 50
const DAY = /^[12]\d{3}-\d\d-\d\d$/

/** Renders the section of the account page that links to the log. */
export const activitySection = (days: number): Html =>
  html`<section class="card" aria-labelledby="security">
    <h2 id="security">Activity</h2>
    <p class="soft">
      Sign-ins, exports, changes to passwords, keys and access, and what people did with your surveys in the last
      ${days} days.
    </p>
    <p class="below"><a class="button plain" href="${ACCOUNT_PATH}">View activity</a></p>
  </section>`

/** Shows what happened to the account and its surveys, newest first. */
export const showActivity = (request: SignedInRequest): Promise<PageResult> =>
  activityPage(request, {
    path: ACCOUNT_PATH,
    kinds: { ...SURVEY_KINDS(), ...ACCOUNT_KINDS() },
    beforeHeading: backLink('/account/', t('Account')),
    text: html`
      They contain only the network part of the IP address. If you do not recognise an entry, change your password and
      revoke your <a href="/account/keys/">API keys</a>.`,
  })

/** Shows what people did with a survey, newest first. */
export const showSurveyActivity = (request: SurveyRequest): Promise<PageResult> =>
  activityPage(request, {
    path: `${request.root}activity/`,
    kinds: SURVEY_KINDS(),
    survey: request.survey.id,
    text: html`Edits of drafts and answers, and exports, are listed once an hour for each person.`,
  })

/** Shows what administrators did, and what was deleted, newest first. */
export const showInstallationActivity = (request: SignedInRequest): Promise<PageResult> =>
  activityPage(request, {
    path: '/administration/activity/',
    kinds: ADMINISTRATION_KINDS(),
    isOfInstallation: true,
    text: html`The log contains no names; a person without a name has been erased, or used the command line.`,
  })

export const downloadInstallationActivity = (request: SignedInRequest): Promise<PageResult> =>
  download(request, { isOfInstallation: true })

interface Log {
  path: string
  kinds: Readonly<Record<string, string>>
  survey?: number
  isOfInstallation?: true
  beforeHeading?: Html
  /** What the page says below its heading. */
  text: Html
}

async function activityPage(request: SignedInRequest, log: Log): Promise<PageResult> {
  const { context, query } = request
  const { path, survey, isOfInstallation = false, beforeHeading, text } = log
  const days = context.services.securityLogDays
  const cursor = query.get('cursor') ?? undefined
  const activity = await describeActivity(
    context,
    { ...searchOf(query, { survey, isOfInstallation }), cursor },
    PAGE_ENTRIES,
  )
  const people = await findPeopleInLog(context, { survey, isOfInstallation })
  return request.render({
    title: t('Activity'),
    ...(beforeHeading && { beforeHeading }),
    content: html`
      <section class="card" aria-labelledby="filter">
        <h2 id="filter" class="hidden">Filter</h2>
        <p class="soft">Entries are deleted after ${days} days. ${text}</p>
        ${filterView(request, log, people)}
        <div class="actions">
          <a class="button plain" href="${pathOf(`${path}csv/`, query)}" download>Export as CSV</a>
          ${filters(query).length > 0 && html`<a class="button plain" href="${path}">Show all</a>`}
        </div>
      </section>
      <section class="card" aria-labelledby="entries">
        <h2 id="entries" class="hidden">Entries</h2>
        ${
          activity.entries.length === 0
            ? html`<p>${filters(query).length > 0 ? t('No entry matches the filter.') : t('No events yet.')}</p>`
            : entriesView(activity, context.actor.id, { showsNetwork: survey === undefined })
        }
        ${
          activity.next !== undefined &&
          html`<p class="below"><a class="button plain" href="${pathOf(path, query, activity.next)}">Older</a></p>`
        }
      </section>`,
  })
}

function filterView(
  { query, context }: SignedInRequest,
  { path, kinds }: Log,
  people: ReadonlyMap<number, string>,
): Part {
  const accounts = new Map([...people].filter(([, name]) => name !== ''))
  const names = [...people.keys()].map((id) => ({
    value: String(id),
    label: personName(id, { accounts }, context.actor.id),
  }))
  const count = filters(query).length
  return html`<details class="change"${count > 0 && html` open`}>
    <summary>${count > 0 ? t('Filter ({count})', { count }) : t('Filter')}</summary>
    <form method="get" action="${path}">
    ${select({
      name: 'by',
      label: t('Person'),
      value: query.get('by') ?? '',
      options: [{ value: '', label: t('Everyone') }, ...names],
    })}
    ${select({
      name: 'kind',
      label: t('What'),
      value: query.get('kind') ?? '',
      options: [
        { value: '', label: t('Everything') },
        ...Object.entries(kinds).map(([value, label]) => ({ value, label })),
      ],
    })}
    ${field({ name: 'since', label: t('From day'), type: 'date', value: query.get('since') ?? '' })}
    ${field({ name: 'until', label: t('To day'), type: 'date', value: query.get('until') ?? '' })}
    <button>Filter</button>
    </form>
  </details>`
}

/** Returns the parameters of the filter that are set. */
const filters = (query: URLSearchParams): [string, string][] =>
  ['by', 'kind', 'since', 'until'].flatMap((name) => {
    const value = query.get(name)
    return value ? [[name, value] as [string, string]] : []
  })

/** Returns an address with the filter of the page. */
function pathOf(path: string, query: URLSearchParams, cursor?: string): string {
  const search = new URLSearchParams([
    ...filters(query),
    ...(cursor === undefined ? [] : [['cursor', cursor] as [string, string]]),
  ])
  return search.size > 0 ? `${path}?${search}` : path
}

/** Reads the filter of the address. Days are days in the time zone of the page; what cannot be read is ignored. */
function searchOf(query: URLSearchParams, log: LogName): ActivitySearch {
  const by = Number(query.get('by') || Number.NaN)
  const kind = query.get('kind') || undefined
  return {
    ...log,
    ...(kind !== undefined && !kind.includes('\0') && { kind }),
    ...(Number.isSafeInteger(by) && { by }),
    ...localMoments(query),
  }
}

function localMoments(query: URLSearchParams): Pick<ActivitySearch, 'since' | 'until'> {
  const day = (name: string) => (DAY.test(query.get(name) ?? '') ? query.get(name)! : undefined)
  try {
    const { since, until } = momentsOf({ first_day: day('since'), last_day: day('until') })
    const local = (at: Date | undefined) => at && momentOf(at.toISOString().slice(0, 10), pageLocale().timeZone)
    return { since: local(since), until: local(until) }
  } catch (error) {
    if (error instanceof Problem) return {}
    throw error
  }
}

const download = async (request: SignedInRequest, log: LogName): Promise<PageResult> => ({
  file: Readable.from(await exportActivity(request.context, searchOf(request.query, log)), { objectMode: false }),
  type: 'text/csv; charset=utf-8',
  name: log.survey === undefined ? 'activity.csv' : `activity-${log.survey}.csv`,
})

export const downloadActivity = (request: SignedInRequest): Promise<PageResult> => download(request, {})

export const downloadSurveyActivity = (request: SurveyRequest): Promise<PageResult> =>
  download(request, { survey: request.survey.id })
