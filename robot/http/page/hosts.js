// Other hosts: what each of them shows is asked for by itself, so that one that does not answer holds up no other.

import { read } from "./api.js";

// listEvery is how often the list of hosts is read again, askEvery how long one host is left alone, and againAfter how
// long one that did not answer, in milliseconds.
const listEvery = 30000;
const askEvery = 1000;
const againAfter = 5000;

export class Hosts {
  // changed is called when a host has told something else.
  constructor(changed) {
    this.changed = changed;
    this.known = new Map();
    this.listed = -Infinity;
    this.none = false;
  }

  // join adds to the answers of this machine what other hosts told last, and asks them again.
  join(status, attention) {
    this.ask();
    const missing = [];
    for (const [name, host] of this.known) {
      if (host.why) missing.push({ host: name, why: host.why });
      if (!host.status) continue;
      status.panes.push(...host.status.panes);
      attention.needs.push(...(host.why ? [] : host.attention.needs));
      for (const [severity, count] of Object.entries(host.attention.alerts || {})) {
        attention.alerts[severity] = (attention.alerts[severity] || 0) + count;
      }
    }
    status.missing = missing;
  }

  // ask asks every host that is not being asked.
  async ask() {
    if (this.none) return;
    if (performance.now() - this.listed > listEvery) {
      this.listed = performance.now();
      try {
        const { hosts } = await read("hosts", { offline: true });
        const names = hosts.filter((one) => one.state !== "disabled").map((one) => one.host);
        for (const name of this.known.keys()) if (!names.includes(name)) this.known.delete(name);
        for (const name of names) if (!this.known.has(name)) this.known.set(name, { asked: -Infinity });
      } catch {
        return; // it is listed again
      }
    }
    for (const [name, host] of this.known) this.askOne(name, host);
  }

  async askOne(name, host) {
    const wait = askEvery - (performance.now() - host.asked);
    if (host.asking || wait > 0) {
      host.later ||= setTimeout(() => { host.later = undefined; this.askOne(name, host); }, Math.max(wait, 100));
      return;
    }
    host.asking = true;
    try {
      const [status, attention] = await Promise.all([read("status", { host: name }), read("attention", { host: name })]);
      for (const pane of status.panes) pane.pane = name + "/" + pane.pane;
      this.took(host, { status, attention, why: "" });
    } catch (failure) {
      if (failure.code === "PERMISSION_DENIED" || failure.code === "INVALID_INPUT") {
        this.none ||= failure.code === "INVALID_INPUT"; // this server passes nothing on
        this.known.delete(name);
      } else if (failure.code) {
        for (const pane of host.status?.panes || []) pane.state = "unknown";
        this.took(host, { status: host.status, attention: host.attention, why: failure.message });
      }
    } finally {
      host.asking = false;
      host.asked = performance.now();
    }
    if (host.why && this.known.get(name) === host) {
      host.again ||= setTimeout(() => { host.again = undefined; this.askOne(name, host); }, againAfter);
    }
  }

  // took keeps what a host told, and tells if it is something else.
  took(host, told) {
    const text = JSON.stringify([told.status?.panes, told.attention?.needs, told.why]);
    Object.assign(host, told);
    if (text !== host.text) {
      host.text = text;
      this.changed();
    }
  }
}
