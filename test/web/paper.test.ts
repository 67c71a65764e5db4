import { describe, expect, it, test } from '@jest/globals'
import { EVERY_TYPE, TYPES } from '../support/every-type.ts'
import { addMember, makeGroup, share } from '../support/groups.ts'
import { unescapeHtml } from '../support/html.ts'
import { signInAs } from '../support/http-browser.ts'
import { addSurvey, pageOf } from '../support/surveys.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

const named = (...labels: string[]) => labels.map((label) => ({ label }))

/** Returns the text of markup, with one space in place of white space and tags. */
const textOf = (markup: string): string =>
  unescapeHtml(markup.replace(/<[^>]*>/g, ' '))
    .replace(/\s+/g, ' ')
    .trim()

/** Opens the paper edition of a survey. @returns the whole page, and each question with a number as text */
async function openPaper(structure: object, query = '', headers: Record<string, string> = {}) {
  const owner = await world.person()
  const { survey } = await addSurvey(owner, structure)
  const browser = await signInAs(owner)
  const path = `/account/surveys/${survey.id}/edit/paper/`
  const { status, text } = await browser.get(path + query, headers)
  expect(status).toBe(200)
  return { owner, browser, survey, path, text, ...partsOf(text) }
}

function partsOf(text: string) {
  const [, paper = ''] = /<article class="paper"([\s\S]*)<\/article>/.exec(text)!
  const markup = paper
    .split('<section class="paper-question">')
    .slice(1)
    .map((one) => one.slice(0, one.indexOf('</section>')))
  const find = (title: string) =>
    markup.find((one) => textOf(/<h4>[\s\S]*?<\/h4>/.exec(one)?.[0] ?? '').includes(title))!
  return { paper, find, questions: markup.map(textOf), question: (title: string) => textOf(find(title)) }
}

const countOf = (text: string, part: string) => text.split(part).length - 1

describe('the paper edition of a survey with every question type', () => {
  it('numbers the questions, with boxes, codes and instructions for each type [spec 10.2]', async () => {
    const { questions, question, find, text } = await openPaper(EVERY_TYPE)
    const left = ['hidden-field', 'calculation', 'random-group']
    const all = EVERY_TYPE.form.flatMap(({ children }) => children) as { idname: string; title: string }[]
    expect(left.every((kind) => TYPES.has(kind))).toBe(true)
    const shown = all.filter(({ idname }) => !left.includes(idname))
    expect(questions).toHaveLength(shown.length)
    let number = 0
    for (const [index, { idname, title }] of shown.entries()) {
      const start = idname === 'section-separator' ? title : `${++number}. ${title}`
      expect(questions[index]!.startsWith(start)).toBe(true)
    }
    expect(question('Your <b>remark</b>')).toBe('1. Your <b>remark</b>')
    expect(countOf(find('Your <b>remark</b>'), 'class="line"')).toBe(1)
    expect(question('A number')).toBe('2. A number Write a whole number.')
    expect(question('Colour')).toBe('3. Colour Tick one box. 1 Red 2 Blue 3 Other:')
    expect(countOf(find('Colour'), 'class="tick"')).toBe(3)
    expect(countOf(find('Colour'), 'class="line"')).toBe(1)
    expect(question('How often?')).toBe('5. How often? Tick one box. 9 Fully 2 Partly 5 Never')
    expect(question('Drinks')).toBe('6. Drinks Tick all that apply. 1 Tea 2 Milk 3 Else:')
    expect(question('Again?')).toBe('8. Again? Tick one box. 1 Yes 0 No')
    expect(question('Day')).toBe('9. Day Year Month Day')
    expect(countOf(find('Day'), 'class="tick"')).toBe(8)
    expect(question('Moment')).toBe('10. Moment Year Month Day Hour Minute')
    expect(question('Clock')).toBe('11. Clock Hour Minute')
    expect(question('Order')).toBe('12. Order Give each choice a position. 1 is first. A B C')
    expect(countOf(find('Order'), 'class="write-box small"')).toBe(3)
    expect(question('Rate')).toBe('13. Rate Tick one box in each row. 1 2 3 Food 1 2 3 Drink 1 2 3')
    expect(countOf(find('Rate'), 'class="tick"')).toBe(6)
    expect(question('Words')).toBe('14. Words First Second')
    expect(countOf(find('Words'), 'class="line"')).toBe(2)
    expect(question('When?')).toBe('15. When? Tick one box in each row. Fully Partly Never Home 9 2 5 Work 9 2 5')
    expect(question('Recommend?')).toBe('16. Recommend? Tick one box. 0 1 2 3 4 5 6 7 8 9 10')
    expect(countOf(find('Recommend?'), 'class="tick"')).toBe(11)
    expect(question('Price')).toBe('17. Price Write a number with at most 10 decimal places.')
    expect(countOf(find('Price'), 'class="write-box"')).toBe(1)
    expect(question('Email')).toBe('18. Email Write an email address.')
    expect(question('Stars')).toBe('19. Stars Tick one box. 1 2 3 4 5')
    expect(question('Slide')).toBe('20. Slide Write a whole number. From 0 to 100.')
    expect(question('Consent')).toBe('21. Consent Tick the box if you agree. 1 I agree')
    expect(question('Cup')).toBe('22. Cup Tick one box. 1 Green 2 Blue')
    expect(question('Cups')).toBe('23. Cups Tick all that apply. 1 Green 2 Blue')
    expect(question('Uses')).toBe('24. Uses Tick all that apply in each row. Mine Ours Home 1 2 Work 1 2')
    expect(question('Photo')).toBe('25. Photo Attach one sheet, and write its title in the space.')
    expect(countOf(find('Photo'), 'class="space"')).toBe(1)
    expect(question('Signature')).toBe('26. Signature Name Signature')
    expect(question('Budget')).toBe(
      '27. Budget The numbers must add up to 100. Rent points Food points Total 100 points',
    )
    expect(textOf(text)).toContain('Fill in this page only if “3. Colour” is Red.')
    expect(textOf(/<h2>Not on paper[\s\S]*?<\/section>/.exec(text)![0])).toContain('Source Twice Arm')
  })

  it('has German instructions in the German interface', async () => {
    const { question, paper } = await openPaper(EVERY_TYPE, '', { 'accept-language': 'de' })
    expect(question('Colour')).toContain('Kreuzen Sie ein Kästchen an.')
    expect(paper).toContain('<span lang="de" dir="ltr">')
    expect(textOf(paper)).toContain('Füllen Sie diese Seite nur aus, wenn die Antwort auf „3. Colour“ „Red“ ist.')
  })
})

test('limits, conditions, skips and placeholders are in words', async () => {
  const form = [
    pageOf(
      {
        idname: 'text-response',
        id: 'name',
        title: 'Your name',
        children: [{ validation: { minLength: 2, maxLength: 40 } }],
      },
      {
        idname: 'multiple-choice',
        id: 'fruit',
        title: 'Fruit for {{ name }}?',
        required: true,
        children: [
          {
            minSelected: 2,
            maxSelected: 3,
            choices: [...named('Fig', 'Plum', 'Pear', 'Lime'), { label: 'None', exclusive: true }],
          },
        ],
      },
      { idname: 'hidden-field', id: 'src', title: 'Source', children: [{}] },
      {
        idname: 'slider',
        id: 'ripe',
        title: 'How ripe?',
        condition: { all: [{ question: 'fruit', op: 'contains', value: 1 }] },
        children: [{ min: 0, max: 10, step: 5, unit: 'points', leftLabel: 'Hard', rightLabel: 'Soft' }],
      },
      {
        idname: 'text-response',
        id: 'why',
        title: 'Why, {{ src }}?',
        condition: { all: [{ question: 'src', op: 'eq', value: 'mail' }] },
        children: [{ lines: 4 }],
      },
      {
        idname: 'image-choice',
        id: 'loaf',
        title: 'Loaf',
        children: [
          { choices: [{ label: 'Round', image: { url: 'https://images.example.org/a.jpg', alt: 'A round loaf' } }] },
        ],
      },
      { idname: 'number', id: 'age', title: 'Age', children: [{ min: 18, max: 99, also: [999], unit: 'years' }] },
      { idname: 'datetime', id: 'born', title: 'Born', format: 'date', children: [{ latest: 'today-7' }] },
      {
        idname: 'single-choice-grid',
        id: 'wide',
        title: 'Wide',
        choices: named(...'abcdefghijk'),
        children: named('Row'),
      },
    ),
    pageOf({ idname: 'section-separator', title: 'Middle', children: [] }),
    pageOf({ idname: 'text-response', id: 'last', title: 'Last', children: [{}] }),
  ]
  const skip = [{ to: 3, when: { all: [{ question: 'age', op: 'gt', value: 60 }] } }, { to: 'terminate' }]
  const { question, find, paper, text } = await openPaper({
    title: 'T',
    form: [{ ...form[0], skip }, ...form.slice(1)],
  })
  expect(question('Your name')).toBe('1. Your name At least 2 characters. At most 40 characters.')
  expect(question('Fruit')).toContain('2. Fruit for ________ (1)? Required Tick all that apply. Choose 2 to 3.')
  expect(question('Fruit')).toContain('5 None (tick no other box)')
  expect(question('How ripe?')).toBe(
    '3. How ripe? Answer only if “2. Fruit for ‹1. Your name›?” contains Plum. Tick one box. Hard 0 5 10 Soft points',
  )
  expect(question('Why')).toContain('4. Why, ________?')
  expect(countOf(find('Why'), 'class="line"')).toBe(4)
  expect(question('Loaf')).toBe('5. Loaf Tick one box. 1 Round')
  expect(find('Loaf')).toContain('<img src="https://images.example.org/a.jpg" alt="A round loaf"')
  expect(question('Age')).toBe('6. Age Write a whole number. From 18 to 99. Also accepted: 999. years')
  expect(question('Born')).toContain('Last day: 7 days before the day on which you answer.')
  expect(question('Wide')).toContain('Write the number of one answer in each row. 1 a 2 b')
  expect(countOf(find('Wide'), 'class="write-box"')).toBe(1)
  expect(textOf(paper)).toContain('After this page: go to Page 3 if “6. Age” is more than 60.')
  expect(textOf(paper)).toContain('After this page: go to the end: the respondent is screened out.')
  expect(textOf(/<h2>Not on paper[\s\S]*?<\/section>/.exec(text)![0])).toContain(
    'which respondents cannot know: 4. Why, ________?',
  )
})

test('the language and the edition are chosen', async () => {
  const languages = [
    { code: 'en', name: 'English', isDefault: true },
    { code: 'ar', name: 'العربية', isDefault: false },
  ]
  const structure = (title: string) => ({
    title: { en: title, ar: 'خبز' },
    languages,
    form: [pageOf({ idname: 'text-response', id: 'q', title: { en: 'Which bread?', ar: 'أي خبز؟' }, children: [{}] })],
  })
  const { owner, browser, survey, path, text } = await openPaper(structure('First'), '?language=ar')
  expect(text).toContain('<article class="paper" lang="ar" dir="rtl">')
  expect(partsOf(text).question('خبز')).toContain('1. أي خبز؟')
  expect(text).not.toContain('name="edition"')
  const put = await owner.put(`/api/v3/surveys/${survey.id}/draft/`, { json: structure('Second') })
  expect(put.status).toBe(200)
  expect((await browser.get(path)).text).toContain('<h2>Second</h2>')
  expect((await browser.get(`${path}?edition=published&language=xx`)).text).toContain('<h2>First</h2>')
})

test('people who may not see the questions get no paper edition', async () => {
  const { owner, survey, path } = await openPaper(EVERY_TYPE)
  const group = await makeGroup(owner, 'Analysts')
  const analyst = await world.person()
  await addMember(owner, group, analyst, 'Analyze')
  await share(owner, survey.id, group)
  expect((await (await signInAs(analyst)).get(path)).status).toBe(403)
  expect((await (await signInAs(await world.person())).get(path)).status).toBe(404)
})
