import { Canvass } from 'canvass-client'

// Reads CANVASS_URL, CANVASS_USERNAME and CANVASS_PASSWORD.
const { v2 } = new Canvass()
const key = process.env.CANVASS_API_KEY ?? '' // of a developer account
const result = await v2.generateLoginUrl({ body: { key, username: 'carla', password: 'correct horse battery' } })
console.log(result['login-url'])
