import { readFile } from 'node:fs/promises'
import { Canvass } from 'canvass-client'

// Reads CANVASS_URL, CANVASS_USERNAME and CANVASS_PASSWORD.
const { v3 } = new Canvass()
const { url } = await v3.createImage({
  path: { survey_id: 14 },
  body: new Blob([await readFile('kitchen.png')]),
})
// The url of the image of a choice.
console.log(url)
