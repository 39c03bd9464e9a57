// Notifications: by the page while it is open, and by the service worker and a push service where it is closed.

import { pushKey, subscribe } from "./api.js";
import { tried } from "./dom.js";

const bytesOf = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));

// worker registers the service worker; it is undefined where the browser has none. Open is called with the card
// that a notification leads to.
export async function worker(open) {
  if (!navigator.serviceWorker) return undefined;
  navigator.serviceWorker.addEventListener("message", (event) => { if (event.data?.card) open(event.data.card); });
  try {
    return await navigator.serviceWorker.register("/worker.js");
  } catch (failure) {
    console.info("no service worker: " + failure.message);
    return undefined;
  }
}

// lagFor is how long after a push message what it asks may be new to the page, in milliseconds.
const lagFor = 5000;

// shown are the notifications of the page itself, by the card that they lead to.
const shown = new Map();

// announce shows a notification; open is called with its card. Browsers of phones have none for a page, and a failure is
// no reason to stop.
export function announce(title, how, card, open) {
  try {
    const one = new Notification(title, how);
    one.onclick = () => { window.focus(); open(card); };
    shown.set(decodeURIComponent(card), one);
  } catch (failure) {
    console.info("no notification: " + failure.message);
  }
}

// settle closes the notifications that lead to a card which is not there any more. Places are those of the cards that
// are, as the server said at a time.
export async function settle(registered, places, time) {
  const asked = new Set(places.map(decodeURIComponent));
  for (const [card, one] of shown) {
    if (asked.has(card)) continue;
    one.close();
    shown.delete(card);
  }
  for (const one of await (await registered)?.getNotifications() || []) {
    const { card = "", at = 0, over } = one.data || {};
    if (over || card.startsWith("#/inbox/") && !asked.has(decodeURIComponent(card)) && at + lagFor < time) one.close();
  }
}

// bell shows the button that lets this browser be notified, as long as it can be and is not.
export async function bell(button, registered) {
  const registration = await registered;
  const subscribed = await registration?.pushManager?.getSubscription();
  if (subscribed) tried(() => subscribe(subscribed.toJSON()), undefined, () => {}); // this server may not know it
  button.hidden = !("Notification" in window) || Notification.permission === "denied" ||
    Notification.permission === "granted" && (Boolean(subscribed) || !registration?.pushManager);
  button.onclick = () => tried(async () => {
    if (await Notification.requestPermission() !== "granted") throw new Error("The browser allows no notifications.");
    button.hidden = true;
    if (!registration?.pushManager) return "You are notified while the page is open.";
    const applicationServerKey = bytesOf(await pushKey());
    const made = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
    await subscribe(made.toJSON());
    return "You are notified, also where the page is closed.";
  }, (text) => text);
}
