import { makeWorkbook, WORKBOOK_TYPE } from '../../test/support/workbook.ts'
import { AUTHORIZATION, admin, createSurvey } from './servers.ts'

/** A request that costs the server as much as its limits allow. */
export interface ExpensiveRequest {
  name: string
  send(): Promise<Response>
}

const times = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => make(index))
const choices = (count: number) => times(count, () => ({ label: 'c' }))
const rows = (count: number, more: object = {}) => times(count, () => ({ label: 'r', ...more }))
const text = (id: string, more: object = {}) => ({ idname: 'text-response', id, title: id, ...more })
const rules = (count: number, rule: (index: number) => object) => ({
  condition: { all: times(count, (index) => ({ question: 'g', ...rule(index) })) },
})
const choiceGrid = (count: number) => ({
  idname: 'single-choice-grid',
  id: 'g',
  choices: choices(15),
  children: rows(count),
})
const textGrid = (count: number, more: object = {}, id = 'g') => ({
  idname: 'text-response-grid',
  id,
  children: rows(count, more),
})
/** A text that is slow to search for {@link term}. */
const haystack = (characters: number) => 'b'.repeat(characters)
const term = (index: number) => `${index}${'b'.repeat(90)}a${'b'.repeat(90)}`.slice(0, 200)

/** The most expensive valid structures: the questions of each page. */
const surveys = {
  grid: [
    [
      {
        idname: 'single-choice-grid',
        id: 'g',
        description: 'Tick one.',
        choices: choices(100),
        children: rows(200, { required: true }),
      },
    ],
  ],
  rankings: [times(8, (index) => ({ idname: 'ranking', id: `r${index}`, children: [{ choices: choices(1000) }] }))],
  search: [
    [
      text('a'),
      ...times(1000, (index) =>
        text(`b${index}`, { condition: { all: [{ question: 'a', op: 'contains', value: term(index) }] } }),
      ),
    ],
  ],
  comparisons: [
    [choiceGrid(1000)],
    [
      text(
        't',
        rules(100, () => ({ op: 'eq', value: 14 })),
      ),
    ],
    [text('end')],
  ],
  numbers: [
    [textGrid(1000)],
    [
      text(
        't',
        rules(100, () => ({ op: 'gt', value: '9'.repeat(200) })),
      ),
    ],
    [text('end')],
  ],
  searches: [
    [textGrid(1000)],
    [
      text(
        't',
        rules(10, (index) => ({ op: 'contains', value: term(index) })),
      ),
    ],
    [text('end')],
  ],
  calculations: [
    [choiceGrid(1000)],
    times(6, (index) => ({
      idname: 'calculation',
      id: `c${index}`,
      title: 'C',
      expression: times(16, () => '{{g}}').join('+'),
    })),
    [text('end')],
  ],
  required: [times(8, (index) => textGrid(1000, { required: true }, `g${index}`))],
} satisfies Record<string, object[][]>

/** A survey of 4,900 questions on 100 pages. */
const large = {
  title: 'Large',
  form: times(100, (page) => ({
    type: 'page',
    children: times(49, (index) => ({
      idname: index % 2 ? 'single-choice' : 'text-response',
      id: `q${page}_${index}`,
      title: `Question ${index + 1} of page ${page + 1}`,
      ...(index % 2 && { children: [{ choices: times(5, (choice) => ({ label: `Choice ${choice}` })) }] }),
    })),
  })),
}

/**
 * Creates surveys, and returns the most expensive requests to them.
 * @returns also the path of the largest survey page
 */
export async function expensiveRequests(base: string): Promise<{ requests: ExpensiveRequest[]; largestPage: string }> {
  const paths: Record<string, string> = {}
  for (const [title, pages] of Object.entries(surveys)) {
    const form = pages.map((children) => ({ type: 'page', children }))
    paths[title] = (await createSurvey(base, { title, form })).path
  }
  const requests = [
    ...respondentRequests(base, paths as Record<keyof typeof surveys, string>),
    ...(await ownerRequests(base)),
  ]
  return { requests, largestPage: paths.grid! }
}

function respondentRequests(base: string, paths: Record<keyof typeof surveys, string>): ExpensiveRequest[] {
  const get = (path: string) => () => fetch(base + path)
  const post = (path: string, fields: Record<string, string>) => {
    const body = new URLSearchParams({ _page: '1', ...fields })
    return () => fetch(base + path, { method: 'POST', body, redirect: 'manual' })
  }
  const filled = (value: string) => Object.fromEntries(times(1000, (index) => [`g_${index}`, value]))
  const part = '--b\r\nContent-Disposition: form-data; name="q"; filename="f"\r\n\r\nx\r\n'
  const multipart = { 'content-type': 'multipart/form-data; boundary=b' }
  const body = `${part.repeat(19_000)}--b--\r\n`
  const evaluated = (name: keyof typeof surveys, title: string, value: string): ExpensiveRequest[] => [
    { name: `${title}: first page`, send: get(paths[name]) },
    { name: `${title}: look`, send: post(paths[name], { ...filled(value), _go: 'look' }) },
    { name: `${title}: submit`, send: post(paths[name], { ...filled(value), _go: 'next' }) },
  ]
  return [
    { name: 'a page of 20,000 cells', send: get(paths.grid) },
    { name: 'a page of 8 rankings of 1,000', send: get(paths.rankings) },
    { name: '1,000 rules search a text', send: post(paths.search, { _go: 'look', a: haystack(99_999) }) },
    ...evaluated('comparisons', '100 rules on 1,000 rows', '3'),
    ...evaluated('numbers', '100 numbers on 1,000 rows', '8'.repeat(200)),
    ...evaluated('searches', '10 searches in 1,000 rows', haystack(1900)),
    ...evaluated('calculations', '96 sums of 1,000 rows', '3'),
    { name: '8,000 required rows: open', send: get(paths.required) },
    { name: '8,000 required rows: submit empty', send: post(paths.required, { _go: 'next' }) },
    {
      name: '8,000 required rows: page with errors',
      send: () => fetch(base + paths.required, { method: 'POST', body: new URLSearchParams({ _page: '1' }) }),
    },
    {
      name: '19,000 parts of multipart',
      send: () => fetch(base + paths.search, { method: 'POST', body, headers: multipart }),
    },
  ]
}

async function ownerRequests(base: string): Promise<ExpensiveRequest[]> {
  const { id } = await createSurvey(base, large)
  const { cookie, csrf } = await signIn(base)
  const edit = `${base}/account/surveys/${id}/edit/`
  const get = (path: string) => () => fetch(edit + path, { headers: { cookie } })
  const post = (path: string, fields: Record<string, string>) => {
    const body = new URLSearchParams({ _csrf: csrf, ...fields })
    return () => fetch(edit + path, { method: 'POST', body, headers: { cookie }, redirect: 'manual' })
  }
  const structure = JSON.stringify(large)
  const filters = times(100, (index) => `_created_at>${1900 + index}-01-01`)
  const list = `${base}/api/v3/surveys/${id}/responses/?`
  const headers = { authorization: AUTHORIZATION }
  const form = await makeWorkbook({
    survey: [['type', 'name', 'label'], ...times(4000, (index) => ['text', `q${index}`, 'Question'])],
  })
  const workbook = { method: 'POST', body: form, headers: { ...headers, 'content-type': WORKBOOK_TYPE } }
  // 1,000,000 empty segments, and no size.
  const segments = times(1_000_000, () => Buffer.from([0xff, 0xe2, 0, 2]))
  const image = {
    method: 'POST',
    body: Buffer.concat([Buffer.from([0xff, 0xd8]), ...segments]),
    headers: { ...headers, 'content-type': 'application/octet-stream' },
  }
  return [
    { name: 'XLSForm of 4,000 questions', send: () => fetch(`${base}/api/v3/xlsform/`, workbook) },
    { name: 'image of 1,000,000 segments', send: () => fetch(`${base}/api/v3/surveys/${id}/images/`, image) },
    { name: 'builder of 4,900 questions', send: get('') },
    { name: 'builder of 4,900 questions: page 50', send: get('?page=50') },
    { name: 'builder of 4,900 questions: add page', send: post('', { do: 'add-page' }) },
    { name: 'builder of 4,900 questions: JSON editor', send: get('json/') },
    { name: 'builder of 4,900 questions: check', send: post('json/check/', { structure }) },
    { name: 'builder of 4,900 questions: preview', send: get('preview/') },
    { name: 'builder of 4,900 questions: preview text', send: post('preview/', { structure }) },
    { name: 'builder of 4,900 questions: publish', send: post('publish/', {}) },
    { name: '100 filters', send: () => fetch(list + filters.join('&'), { headers }) },
    { name: '1,000 equal filters', send: () => fetch(list + times(1000, () => '_id=1').join('&'), { headers }) },
  ]
}

/** Signs in the account of the service. */
async function signIn(base: string): Promise<{ cookie: string; csrf: string }> {
  const cookies = new Map<string, string>()
  const send = async (path: string, fields?: Record<string, string>) => {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
    const body = fields && new URLSearchParams(fields)
    const reply = await fetch(base + path, {
      headers: { cookie },
      redirect: 'manual',
      ...(body && { method: 'POST', body }),
    })
    for (const set of reply.headers.getSetCookie()) {
      const [name = '', value = ''] = set.split(';')[0]!.split(/=(.*)/s)
      cookies.set(name, value)
    }
    return /name="_csrf" value="([^"]*)"/.exec(await reply.text())?.[1] ?? ''
  }
  const _csrf = await send('/accounts/login/')
  await send('/accounts/login/', { _csrf, username: admin.username, password: admin.password })
  const csrf = await send('/account/')
  return { cookie: [...cookies].map((pair) => pair.join('=')).join('; '), csrf }
}
