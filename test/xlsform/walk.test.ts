// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions of XLSForms refer to questions as ${name}
import { beforeAll, describe, expect, it } from '@jest/globals'
import type { Reply } from '../support/client.ts'
import { signInAs } from '../support/http-browser.ts'
import { addSurvey, storedResponses, submitForm } from '../support/surveys.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld()
let ann: Person
beforeAll(async () => {
  ann = await world.person()
})

const FORM = `
| survey | | | | | | | |
| | type | name | label | required | relevant | choice_filter | constraint |
| | select_one states | state | State? | yes | | | |
| | text | nm | Your name? | | | | |
| | begin group | outer | Interview | | \${state} != ’’ | | |
| | begin group | place | Place | | | | |
| | select_one counties | county | County of \${nm}? | yes | | state=\${state} | |
| | select_multiple pets | pets | Pets? | | | | |
| | end group | | | | | | |
| | begin group | only | Nothing to see | | | | |
| | calculate | twice | | | | | |
| | hidden | source | | | | | |
| | end group | | | | | | |
| | begin group | rest | Rest | | | | |
| | integer | years | Years in the county of King? | | \${county} = '1' | | |
| | text | reason | Why no dog? | yes | not(selected(\${pets}, 'dog')) | | |
| | date | born | Born? | | | | . <= today() |
| | integer | lost | Asked of everybody? | yes | position(..) = 3 | | |
| | end group | | | | | | |
| | end group | | | | | | |
| choices | | | | | | | |
| | list_name | name | label | state | | | |
| | states | tx | Texas | | | | |
| | states | wa | Washington | | | | |
| | counties | 1 | Cameron | tx | | | |
| | counties | 2 | Dallas | tx | | | |
| | counties | 1 | King | wa | | | |
| | pets | dog | Dog | | | | |
| | pets | cat | Cat | | | | |`

async function send(page: Reply, answers: Record<string, string | string[]> = {}) {
  const reply = await submitForm(world.anonymous, page, answers)
  const location = reply.headers.get('location')
  return location ? world.anonymous.get(location) : reply
}

describe('a survey from an XLSForm', () => {
  it('asks what the form asks, and exports the names of its choices', async () => {
    const { status, body } = await ann.post('/api/v3/xlsform/', {
      body: Buffer.from(FORM),
      headers: { 'content-type': 'application/octet-stream' },
    })
    expect(status).toBe(200)
    expect(body.issues.map(({ code }: { code: string }) => code)).toEqual([
      'code_changed',
      'calculation_not_supported',
      'expression_not_supported',
      'required_removed',
    ])
    const { survey, path } = await addSurvey(ann, body.structure)
    const first = await world.anonymous.get(path)
    expect(first.text).not.toContain('County of')
    const second = await send(first, { state: '1', nm: 'Ada' })
    expect(second.text).toContain('County of Ada?')
    expect(second.text).toContain('King')
    expect(second.text).not.toContain('Dallas')
    // The page between has only hidden fields, so it is not shown.
    const third = await send(second, { county: '2', pets: '1' })
    for (const title of ['Interview', 'Years in the county', 'Why no dog?', 'Asked of everybody?'])
      expect(third.text).toContain(title)
    const rejected = await send(third, { years: '3', reason: '', born: '2999-01-01' })
    expect(rejected.text).toMatch(/Born\? – Enter 20\d\d-\d\d-\d\d or an earlier date/)
    expect(rejected.text).toContain('Why no dog? – ')
    expect(rejected.text).not.toContain('Asked of everybody? – ')
    await send(rejected, { years: '3', reason: 'Cat', born: '2000-01-01' })
    expect(await storedResponses(world, survey.id)).toMatchObject([
      { completed: 1, answers: { state: 1, nm: 'Ada', county: 2, pets: [1], years: 3, reason: 'Cat' } },
    ])
    const csv = (await ann.get(`/api/v3/surveys/${survey.id}/csv/?include_codes=true`)).text
    expect(csv).toContain(',wa,Ada,1_2,')
  })

  it('can be created from a form as Markdown or CSV on the page', async () => {
    const browser = await signInAs(ann)
    const csv = 'survey,,,\n,type,name,label\n,text,q,Your question?\nsettings,\n,form_title\n,From CSV\n'
    for (const [file, title] of [
      [FORM, 'Untitled survey'],
      [csv, 'From CSV'],
    ] as const) {
      await browser.get('/account/surveys/new/import/')
      const { status, text } = await browser.upload('/account/surveys/new/import/', file)
      expect([status, text.includes(`value="${title}"`)]).toEqual([200, true])
    }
  })
})
