import { describe, expect, it } from '@jest/globals'
import type { Page } from 'playwright-core'
import { addSurvey, pageOf, storedResponses, text } from '../../support/surveys.ts'
import { press, useChromium } from '../../support/use-chromium.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()
const chromium = useChromium()

const structureWith = (settings: object) => ({
  title: 'Kitchens',
  form: [
    pageOf({ idname: 'file-upload', id: 'photo', title: 'Your kitchen', children: [{ ...settings }] }, text('note')),
  ],
})

/** An EXIF segment (APP1): the photo is to be turned by 90° (orientation 6), and was taken at a place (GPS IFD). */
function exif(): Buffer {
  const tiff = Buffer.alloc(68)
  tiff.write('MM\0*', 0, 'latin1')
  tiff.writeUInt32BE(8, 4)
  tiff.writeUInt16BE(2, 8)
  const entry = (at: number, tag: number, type: number, count: number) => {
    tiff.writeUInt16BE(tag, at)
    tiff.writeUInt16BE(type, at + 2)
    tiff.writeUInt32BE(count, at + 4)
  }
  entry(10, 0x0112, 3, 1)
  tiff.writeUInt16BE(6, 18)
  entry(22, 0x8825, 4, 1)
  tiff.writeUInt32BE(38, 30)
  tiff.writeUInt16BE(1, 38)
  entry(40, 1, 2, 2)
  tiff.write('N\0', 48, 'latin1')
  tiff.write('SECRETPLACE', 56, 'latin1')
  const content = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff])
  const head = Buffer.from([0xff, 0xe1, 0, 0])
  head.writeUInt16BE(content.length + 2, 2)
  return Buffer.concat([head, content])
}

/** Draws a photo whose left half is red and whose right half is blue, with metadata. */
async function photo(page: Page, width: number, height: number): Promise<Buffer> {
  const base64 = (await page.evaluate(`(async () => {
    const canvas = document.createElement('canvas')
    canvas.width = ${width}
    canvas.height = ${height}
    const context = canvas.getContext('2d')
    context.fillStyle = '#ff0000'
    context.fillRect(0, 0, ${width / 2}, ${height})
    context.fillStyle = '#0000ff'
    context.fillRect(${width / 2}, 0, ${width / 2}, ${height})
    return canvas.toDataURL('image/jpeg', 0.95).split(',')[1]
  })()`)) as string
  const drawn = Buffer.from(base64, 'base64')
  return Buffer.concat([drawn.subarray(0, 2), exif(), drawn.subarray(2)])
}

/** Returns the size and the colours in the middle of the upper and lower half of a picture, as the browser shows it. */
const shownAs = (page: Page, bytes: Buffer) =>
  page.evaluate(`(async () => {
    const image = new Image()
    image.src = 'data:image/jpeg;base64,${bytes.toString('base64')}'
    await image.decode()
    const canvas = document.createElement('canvas')
    canvas.width = image.naturalWidth
    canvas.height = image.naturalHeight
    const context = canvas.getContext('2d')
    context.drawImage(image, 0, 0)
    const colour = (part) =>
      [...context.getImageData(canvas.width / 2, canvas.height * part, 1, 1).data].map((value) => value > 127)
    return { size: [canvas.width, canvas.height], upper: colour(0.25), lower: colour(0.75) }
  })()`)

const RED = [true, false, false, true]
const BLUE = [false, false, true, true]

async function start(settings: object = {}) {
  const owner = await world.person()
  const { survey, path } = await addSurvey(owner, structureWith(settings))
  const page = await chromium.newPage({ viewport: { width: 390, height: 844 } })
  await page.goto(world.base + path)
  const choose = (name: string, buffer: Buffer) =>
    page.locator('input[type=file]').setInputFiles({ name, mimeType: 'image/jpeg', buffer })
  /** Submits the page. @returns the content of the stored file */
  const finish = async () => {
    await press(page, 'Submit')
    await page.getByRole('heading', { name: 'Thank you!' }).waitFor()
    const [response] = await storedResponses(world, survey.id)
    const key = String((response!.answers as Record<string, unknown>).photo)
    const reply = await fetch(`${world.base}/api/v3/surveys/${survey.id}/responses/${response!.id}/files/${key}/`, {
      headers: { authorization: owner.authorization! },
    })
    return Buffer.from(await reply.arrayBuffer())
  }
  return { page, survey, choose, finish, status: page.locator('.upload-status') }
}

describe('a photo', () => {
  it('is made smaller before the upload, upright and without its place, and the page says so', async () => {
    const { page, choose, finish, status } = await start()
    await choose('kitchen.jpeg', await photo(page, 3000, 2000))
    await page.getByText('kitchen.jpg has been uploaded.').waitFor()
    expect(await status.textContent()).toBe(
      'kitchen.jpg has been uploaded. kitchen.jpg was made smaller before the upload. It no longer contains details such as the place where it was taken.',
    )
    const bytes = await finish()
    expect(bytes.includes('Exif')).toBe(false)
    expect(bytes.includes('SECRETPLACE')).toBe(false)
    expect(await shownAs(page, bytes)).toEqual({ size: [1707, 2560], upper: RED, lower: BLUE })
  })

  it('is made smaller until it is within the limit of the question', async () => {
    const { page, choose, finish } = await start({ maxSize: 1 })
    const padded = Buffer.concat([await photo(page, 800, 600), Buffer.alloc(1_200_000)])
    await choose('large.jpg', padded)
    await page.getByText('large.jpg has been uploaded.').waitFor()
    const bytes = await finish()
    expect(bytes.length).toBeLessThan(1_000_000)
    expect(await shownAs(page, bytes)).toMatchObject({ size: [600, 800], upper: RED })
  })

  it.each([
    ['if the question asks for originals', { keepOriginal: true }, 3000, 2000],
    ['if it is small', {}, 640, 480],
  ])('is uploaded as it is %s', async (_, settings, width, height) => {
    const { page, choose, finish, status } = await start(settings)
    const original = await photo(page, width, height)
    await choose('kitchen.jpeg', original)
    await page.getByText('kitchen.jpeg has been uploaded.').waitFor()
    expect(await status.textContent()).toBe('kitchen.jpeg has been uploaded.')
    expect((await finish()).equals(original)).toBe(true)
  })

  it('is uploaded as it is if the browser cannot read it, or draws random pixels', async () => {
    const { page, choose, status } = await start()
    await page.evaluate(
      'CanvasRenderingContext2D.prototype.getImageData = function (x, y, w, h) { return new ImageData(w, h) }',
    )
    await choose('protected.jpeg', await photo(page, 3000, 2000))
    await page.getByText('protected.jpeg has been uploaded.').waitFor()
    expect(await status.textContent()).toBe('protected.jpeg has been uploaded.')
    await choose('broken.jpeg', Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(50)]))
    await page.getByText('broken.jpeg has been uploaded.').waitFor()
  })
})

describe('a page that is submitted during an upload', () => {
  /** Lets uploads of the page wait. @returns the function that ends the waiting */
  async function holdUploads(page: Page, ends: 'continue' | 'abort') {
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route('**/surveys/**', async (route) => {
      if (route.request().method() !== 'POST' || route.request().resourceType() !== 'xhr') return route.continue()
      await released
      await (ends === 'continue' ? route.continue() : route.abort())
    })
    return release
  }

  it('says that it waits, and is submitted when the upload has finished', async () => {
    const { page, survey, choose } = await start()
    const release = await holdUploads(page, 'continue')
    await page.getByLabel('Text note').fill('Bright')
    await choose('kitchen.jpeg', await photo(page, 640, 480))
    await page.locator('progress').waitFor()
    await press(page, 'Submit')
    const notice = page.getByText('The page is submitted when the upload has finished.')
    await notice.waitFor()
    await press(page, 'Submit')
    expect(await notice.count()).toBe(1)
    expect(await storedResponses(world, survey.id)).toEqual([])
    release()
    await page.getByRole('heading', { name: 'Thank you!' }).waitFor()
    expect(await storedResponses(world, survey.id)).toMatchObject([
      { completed: 1, answers: { note: 'Bright', photo: expect.any(String) } },
    ])
  })

  it('stays, with the error, if the upload fails', async () => {
    const { page, survey, choose, status } = await start()
    const release = await holdUploads(page, 'abort')
    await choose('kitchen.jpeg', await photo(page, 640, 480))
    await page.locator('progress').waitFor()
    await press(page, 'Submit')
    await page.getByText('The page is submitted when the upload has finished.').waitFor()
    release()
    await page.getByText('The upload failed.').waitFor()
    expect(await page.locator('.notice').count()).toBe(0)
    expect(await status.getAttribute('class')).toContain('error')
    expect(await storedResponses(world, survey.id)).toEqual([])
  })
})
