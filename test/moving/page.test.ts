import { beforeAll, describe, expect, test } from '@jest/globals'
import { purgeUploads } from '../../src/domain/moving/record.ts'
import { signInAs } from '../support/http-browser.ts'
import { type Person, useWorld } from '../support/world.ts'

const world = useWorld()
let ann: Person
beforeAll(async () => {
  ann = await world.person()
})

const PAGE = '/account/surveys/new/import/'
const FORM = {
  title: 'Bread <&>',
  elements: [
    { type: 'radiogroup', name: 'bread', title: 'Which bread?', choices: [{ value: 'r', text: 'Rye' }] },
    { type: 'paneldynamic', name: 'more' },
  ],
}
const file = (name: string, value: unknown) => new File([JSON.stringify(value)], name)

describe('the import from another tool', () => {
  test('shows what it would do, imports, and keeps the proof with the survey, without scripts', async () => {
    const browser = await signInAs(ann)
    await browser.get(PAGE)
    const sent = await browser.multipart(PAGE, {
      file: file('form.json', FORM),
      responses: file('results.json', [{ bread: 'r' }, { bread: 'x' }, { more: [1] }]),
    })
    expect(sent.status).toBe(303)
    const address = sent.headers.get('location')!
    const check = await browser.get(address)
    expect(check.text).toContain('From SurveyJS: 1 column of answers and 3 responses.')
    expect(check.text).toContain('Bread &lt;&amp;&gt;')
    expect(check.text).toContain('The question was left out. Canvass has no question of this type.')
    expect(check.text).not.toContain('In the survey')
    const done = await browser.post(address, { name: 'Moved' })
    expect(done.status).toBe(303)
    const proof = await browser.get(done.headers.get('location')!)
    expect(proof.text).toContain('Some totals differ')
    expect(proof.text).toMatch(/<th scope="row">r · Rye<\/th>\s*<td [^>]*>1<\/td>\s*<td [^>]*>1<\/td>/)
    expect(proof.text).toMatch(
      /<th scope="row">x <em>\(no choice\)<\/em><\/th>\s*<td [^>]*>1<\/td>\s*<td [^>]*>0<\/td>/,
    )
    expect((await browser.get(done.headers.get('location')!.replace('import/', ''))).text).toContain(
      'Proof of the import',
    )
    expect((await browser.get(address)).status).toBe(404)
  })

  test('shows the upload of an account to no other account, and deletes it after a day', async () => {
    const browser = await signInAs(ann)
    await browser.get(PAGE)
    const address = (await browser.multipart(PAGE, { file: file('f', FORM) })).headers.get('location')!
    const other = await signInAs(await world.person())
    expect((await other.get(address)).status).toBe(404)
    expect((await browser.get(address)).status).toBe(200)
    world.now = new Date(world.now.getTime() + 25 * 60 * 60 * 1000)
    expect(await purgeUploads(world.context(), new AbortController().signal)).toBe(1)
    const again = await signInAs(ann)
    expect((await again.get(address)).status).toBe(404)
  })

  test('says beside the field which file cannot be read', async () => {
    const browser = await signInAs(ann)
    await browser.get(PAGE)
    const { status, text } = await browser.multipart(PAGE, { file: file('f', { a: 1 }), responses: file('r', []) })
    expect(status).toBe(422)
    expect(text).toContain('File is not a survey of a tool whose surveys can be imported.')
  })
})
