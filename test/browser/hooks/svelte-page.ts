import { mount } from 'svelte';
import Page from './svelte-page.svelte';

mount(Page, { target: document.body });
