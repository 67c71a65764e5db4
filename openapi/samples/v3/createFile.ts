import { readFile } from 'node:fs/promises'
import { Canvass } from 'canvass-client'

// Reads CANVASS_URL, CANVASS_USERNAME and CANVASS_PASSWORD.
const { v3 } = new Canvass()
const { key } = await v3.createFile({
  path: { survey_id: 14 },
  query: { question: 'photo', name: 'kitchen.png' },
  body: new Blob([await readFile('kitchen.png')]),
})
// The key is the answer to the question photo.
console.log(key)
