import { describe, expect, it, test } from '@jest/globals'
import { unescapeHtml } from '../support/html.ts'
import { signInAs } from '../support/http-browser.ts'
import { IMAGES, png, uploadImage, withImage } from '../support/images.ts'
import { eraseSurvey } from '../support/surveys.ts'
import { useWorld } from '../support/world.ts'
import { fieldsIn, openBuilder } from './builder-owner.ts'

const world = useWorld()
const QUESTION = {
  title: 'Cups',
  form: [
    {
      children: [
        {
          idname: 'image-choice',
          id: 'cup',
          title: 'Which cup?',
          children: [{ choices: [{ label: 'Green' }, { label: 'Blue' }] }],
        },
      ],
    },
  ],
}
const file = (content: Uint8Array<ArrayBuffer> | string, name = 'cup.png') =>
  new File([content], name, { type: 'image/png' })

/** Opens the form of the question, without scripts. */
async function openQuestion() {
  const builder = await openBuilder(world, QUESTION)
  const path = `${builder.root}question/?id=cup`
  const { browser } = builder
  const submit = async (fields: Record<string, string | File>) => {
    const reply = await browser.multipart(path, { ...fieldsIn(await browser.get(path)), ...fields })
    return reply.to ? browser.get(reply.to.replace(/#.*/, '')) : reply
  }
  const choices = async () => (await builder.draft()).form[0].children[0].children[0].choices
  return { ...builder, path, submit, choices }
}

const imageIn = (text: string) => /<img src="(\/images\/[^"]+)"/.exec(text)?.[1]

describe('the image of a choice in the builder', () => {
  it('is uploaded with its description, shown, replaced and removed [spec 6.14]', async () => {
    const { submit, choices, path, browser } = await openQuestion()
    const page = await submit({ 'choice.1.file': file(png(21)), 'choice.1.alt': 'A blue cup', do: 'image.choice.1' })
    const url = imageIn(page.text)!
    expect((await fetch(world.base + url)).status).toBe(200)
    expect(await choices()).toMatchObject([{ label: { en: 'Green' } }, { image: { url, alt: { en: 'A blue cup' } } }])
    expect((await choices())[0].image).toBeUndefined()
    await submit({ 'choice.1.file': file(png(22)), do: 'save' })
    const [, blue] = await choices()
    expect([blue.image.url === url, blue.image.alt]).toEqual([false, { en: 'A blue cup' }])
    await submit({ do: 'up.choice.1' })
    expect((await choices())[0].image).toEqual(blue.image)
    await submit({ do: 'remove-image.choice.0' })
    expect((await choices()).map(({ image }: { image?: object }) => image)).toEqual([undefined, undefined])
    expect(imageIn((await browser.get(path)).text)).toBeUndefined()
  })

  it('needs a description, and stays uploaded while the description is missing', async () => {
    const { submit, choices } = await openQuestion()
    const page = await submit({ 'choice.0.file': file(png(23)), do: 'save' })
    expect(page.status).toBe(422)
    expect(page.text).toContain('“Which cup?”: describe the image of choice 1.')
    const fields = fieldsIn(page)
    expect(fields['choice.0.image']).toBe(imageIn(page.text))
    expect((await choices())[0].image).toBeUndefined()
    await submit({ ...fields, 'choice.0.alt': 'A green cup', do: 'save' })
    expect((await choices())[0].image).toEqual({ url: fields['choice.0.image'], alt: { en: 'A green cup' } })
  })

  test.each([
    ['a script with the name of a picture', file('<svg><script/></svg>'), 'must have one of these types'],
    ['an incomplete picture', file(png(24).subarray(0, -8)), 'is incomplete: the end of the image is missing'],
    ['too many pixels', file(png(6_001, 1)), 'must be at most 6000 pixels wide and high'],
    ['more than 5 MB', file(Buffer.concat([png(25), Buffer.alloc(5_000_000)])), 'must be at most 5000000 bytes'],
  ])('is rejected for %s, and nothing is saved', async (_, content, reason) => {
    const { submit, choices, browser, root } = await openQuestion()
    const page = await submit({ title: 'Changed?', 'choice.1.file': content, 'choice.1.alt': 'A cup', do: 'save' })
    expect([page.status, unescapeHtml(page.text)]).toEqual([
      422,
      expect.stringContaining(`Choice 2: The image ${reason}`),
    ])
    expect(fieldsIn(page)).toMatchObject({ title: 'Changed?', 'choice.1.alt': 'A cup', 'choice.1.image': '' })
    expect((await choices())[1].image).toBeUndefined()
    expect((await browser.get(root)).text).not.toContain('Changed?')
  })

  it('can be uploaded in a separate request, as the script of the page does, by users with the role Edit only', async () => {
    const { browser, root, id } = await openQuestion()
    const send = async (by = browser, content = file(IMAGES['image/gif']![1])) =>
      by.multipart(`${root}image/`, { file: content })
    const reply = await send()
    expect(JSON.parse(reply.text)).toEqual({ url: expect.stringMatching(/^\/images\/\w{32}\.gif$/) })
    expect(JSON.parse((await send(browser, file('text'))).text)).toEqual({
      error: 'The image must have one of these types: PNG, JPEG, GIF, WebP, AVIF.',
    })
    const other = await signInAs(await world.person())
    expect((await send(other)).status).toBe(404)
    expect((await browser.post(`${root}image/`, { _csrf: 'forged' })).status).toBe(403)
    expect(id).toBeGreaterThan(0)
  })

  it('stays in a copy of the survey when the original survey is deleted', async () => {
    const { person, browser, id } = await openQuestion()
    const { body } = await uploadImage(person, id, png(26))
    await person.put(`/api/v3/surveys/${id}/structure/`, { json: { structure: withImage(body.url) } })
    await browser.post(`/account/surveys/${id}/duplicate/`)
    await eraseSurvey(person, id)
    const { body: surveys } = await person.get('/api/v3/surveys/')
    const [{ id: copy }] = surveys.results
    const question = await browser.get(`/account/surveys/${copy}/edit/question/?id=cup`)
    expect(imageIn(question.text)).toBe(body.url)
    expect((await fetch(world.base + body.url)).status).toBe(200)
  })
})
